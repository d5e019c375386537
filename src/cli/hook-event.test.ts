import { describe, expect, test } from "vitest";
import { toldBoundaryOf } from "./hook-event.ts";

/** As Claude Code 2.0.75 and 2.1.332 state them, without the parts that are not read. */
const event = (name: string, rest: object): string =>
  JSON.stringify({ session_id: "s1", transcript_path: "/h/s1.jsonl", cwd: "/w", hook_event_name: name, ...rest });

describe("an event of a hook", () => {
  test.each([
    ["PreCompact", { trigger: "a\n\u001b[31mb" }, { what: "compacting", source: "PreCompact a \\u001b[31mb" }],
    ["SessionStart", { source: "resume" }, { what: "resumed", source: "SessionStart resume" }],
    ["SessionStart", { source: "clear" }, { what: "cleared", source: "SessionStart clear" }],
    [
      "SessionStart",
      { source: "compact", model: "claude-sonnet-4-6" },
      { what: "compacted", source: "SessionStart compact" },
    ],
    ["SessionEnd", { reason: "clear" }, { what: "cleared", source: "SessionEnd clear" }],
    [
      "PreCompact",
      { trigger: "manual", custom_instructions: null },
      { what: "compacting", source: "PreCompact manual" },
    ],
    ["PreCompact", { trigger: "auto", custom_instructions: "" }, { what: "compacting", source: "PreCompact auto" }],
  ] as const)("%s %j tells of the conversation", (name, rest, told) => {
    expect(toldBoundaryOf(event(name, rest))).toEqual({ ...told, sessionId: "s1", agentId: null });
  });

  test("SubagentStop tells of the sub-agent", () => {
    const text = event("SubagentStop", { stop_hook_active: false, agent_id: "a4cc74b", last_assistant_message: "x" });
    expect(toldBoundaryOf(text)).toEqual({
      what: "agent-stopped",
      source: "SubagentStop",
      sessionId: "s1",
      agentId: "a4cc74b",
    });
  });

  test.each([
    ["a start, when nothing is on record yet", event("SessionStart", { source: "startup" })],
    ["a source of a later version", event("SessionStart", { source: "toString" })],
    ["an end that may go on", event("SessionEnd", { reason: "prompt_input_exit" })],
    ["another hook", event("PostToolUse", { tool_name: "Read" })],
    ["no session", JSON.stringify({ hook_event_name: "PreCompact", trigger: "auto" })],
    ["a sub-agent without a name", event("SubagentStop", { agent_id: "" })],
    ["a name as long as a book", event("PreCompact", { trigger: "x".repeat(201) })],
    ["another type", event("PreCompact", { trigger: 7 })],
    ["no JSON", "SessionStart"],
    ["nothing", ""],
    ["a list", "[]"],
    ["null", "null"],
  ])("is no boundary: %s", (_, text) => expect(toldBoundaryOf(text)).toBeNull());
});
