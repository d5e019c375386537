import { afterAll, describe, expect, test } from "vitest";
import { outlines, recordingIn, recordingsFolder } from "../../../test/support/recordings.ts";

const folder = recordingsFolder();
afterAll(() => folder.remove());

describe("Copilot CLI", () => {
  let count = 0;
  const event = (type: string, data: object) => ({
    type,
    data,
    id: `e${++count}`,
    timestamp: "2026-01-01T00:00:01Z",
    parentId: null,
  });
  const answer = (content: string, calls: readonly string[] = [], more: object = {}) =>
    event("assistant.message", {
      ...{ messageId: `m${count}`, content, outputTokens: 5 },
      toolRequests: calls.map((toolCallId) => ({ toolCallId, name: "view", arguments: { path: "/a" } })),
      ...more,
    });
  const gave = (toolCallId: string, content: string, more: object = {}) =>
    event("tool.execution_complete", { toolCallId, success: true, result: { content }, ...more });

  test("a sub-agent's events are a conversation of their own, and a compaction starts anew", async () => {
    const inside = { parentToolCallId: "t1" };
    const file = folder.lines("copilot", [
      event("session.start", { sessionId: "s1", context: { cwd: "/w" } }),
      event("session.model_change", { newModel: "claude-sonnet-4.6" }),
      event("system.message", { role: "system", content: "You are the GitHub Copilot CLI." }),
      event("user.message", { content: "go", transformedContent: "<now/> go" }),
      answer("", ["t1"]),
      answer("inner", ["t2"], inside),
      gave("t2", "A", inside),
      answer("inner done", [], inside),
      gave("t1", "report"),
      event("session.compaction_complete", { success: true, summaryContent: "so far" }),
      event("user.message", { content: "next" }),
      answer("done"),
      gave("t9", "nobody asked"),
    ]);
    const { format, contexts } = await recordingIn(file);
    expect([format, ...contexts.map(({ kind, id }) => `${kind} ${id}`)]).toEqual([
      "copilot-cli",
      "main main",
      "agent agent t1",
    ]);
    expect(outlines(contexts[0])).toEqual([["user: <now/> go"], ["user: so far | next"]]);
    expect(outlines(contexts[1])[1]?.slice(-2)).toEqual(["assistant: inner | view(t2)", "user: =t2 A"]);
    expect(contexts[0]?.requests.map(({ model, isLive }) => [model, isLive])).toEqual([
      ["claude-sonnet-4.6", false],
      ["claude-sonnet-4.6", true],
    ]);
    expect(Buffer.from(contexts[0]?.requests[0]?.body ?? []).toString()).toContain("You are the GitHub Copilot CLI.");
    expect(contexts[0]?.problems).toEqual([
      { line: 13, words: "a result of a call that is not in the file; left out" },
    ]);
  });
});

describe("Cline", () => {
  test("results that it keeps as data are sent as the text of their JSON", async () => {
    const data = [{ query: "/a:1-2", result: "1 | x", success: true }];
    const messages = [
      { role: "user", content: [{ type: "text", text: "go" }], ts: 1_700_000_000_000 },
      {
        ...{ id: "m1", role: "assistant", ts: 1_700_000_001_000, modelInfo: { id: "claude-sonnet-4-5" } },
        content: [{ type: "tool_use", id: "t1", name: "read_files", input: {} }],
        metrics: { inputTokens: 100, outputTokens: 5, cacheReadTokens: 60, cacheWriteTokens: 10 },
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: data }], ts: 1_700_000_002_000 },
      { role: "assistant", content: [{ type: "text", text: "done" }], ts: 1_700_000_003_000 },
    ];
    const session = {
      version: 1,
      sessionId: "s1",
      agent: "lead",
      system_prompt: "You are Cline, an AI coding agent.",
      messages,
    };
    const { format, contexts } = await recordingIn(folder.write("cline.json", JSON.stringify(session)));
    expect([format, contexts[0]?.sessionId]).toEqual(["cline", "s1"]);
    expect(outlines(contexts[0])[1]?.at(-1)).toBe(`user: =t1 ${JSON.stringify(data)}`);
    expect(contexts[0]?.requests[0]?.usage).toEqual({
      inputTokens: 30,
      cacheReadTokens: 60,
      cacheWriteTokens: 10,
      outputTokens: 5,
    });
    const bare = await recordingIn(
      folder.write("bare.json", JSON.stringify(messages.map(({ role, content }) => ({ role, content })))),
    );
    expect([bare.format, bare.contexts[0]?.requests.length]).toEqual(["cline", 2]);
  });
});

describe("OpenHands", () => {
  const response = (id: string, callId: string) => ({
    ...{ id, model: "claude-3-5-sonnet-20241022", usage: { prompt_tokens: 100, completion_tokens: 5 } },
    choices: [
      {
        message: {
          role: "assistant",
          content: "look",
          tool_calls: [{ id: callId, type: "function", function: { name: "execute_bash", arguments: "{}" } }],
        },
      },
    ],
  });
  const action = (id: number, callId: string) => ({
    ...{ id, source: "agent", action: "run", args: {}, timestamp: "2026-01-01T00:00:01Z" },
    tool_call_metadata: {
      tool_call_id: callId,
      function_name: "execute_bash",
      model_response: response(`r${id}`, callId),
    },
  });
  const observation = (id: number, callId: string, content: string) => ({
    ...{ id, source: "agent", observation: "run", content, timestamp: "2026-01-01T00:00:02Z" },
    tool_call_metadata: {
      tool_call_id: callId,
      function_name: "execute_bash",
      model_response: response("again", callId),
    },
  });
  const user = (id: number, content: string) => ({
    id,
    source: "user",
    action: "message",
    args: { content },
    timestamp: "2026-01-01T00:00:00Z",
  });

  test("an answer counts once, and what a condensation forgot is sent no more", async () => {
    const events = [
      user(1, "go"),
      action(2, "c1"),
      observation(3, "c1", "A"),
      action(4, "c2"),
      observation(5, "c2", "B"),
      {
        id: 6,
        source: "agent",
        action: "condensation",
        args: { forgotten_events_start_id: 2, forgotten_events_end_id: 3, summary: "looked" },
        timestamp: "",
      },
      action(7, "c3"),
    ];
    const { format, contexts } = await recordingIn(folder.write("events.json", JSON.stringify(events)));
    expect([format, contexts[0]?.wire]).toEqual(["openhands", "openai-chat"]);
    expect(outlines(contexts[0]).slice(1)).toEqual([
      ["user: go", "assistant: look | execute_bash(c1)", "user: =c1 A"],
      ["user: go", "user: looked", "assistant: look | execute_bash(c2)", "user: =c2 B"],
    ]);
    expect(contexts[0]?.requests[0]?.usage?.inputTokens).toBe(100);
  });

  test("a completion log is the one request it tells of, at the time it was sent", async () => {
    const messages = [
      { role: "system", content: "s" },
      { role: "user", content: "go" },
    ];
    const log = {
      messages,
      response: response("r1", "c1"),
      kwargs: { tools: [{ type: "function", function: { name: "execute_bash" } }] },
      timestamp: 1_700_000_010,
      latency_sec: 4,
      cost: 0,
    };
    const { format, contexts } = await recordingIn(folder.write("log.json", JSON.stringify(log)));
    expect([format, contexts[0]?.requests[0]?.atMs]).toEqual(["openai-chat", 1_700_000_006_000]);
    const body = JSON.parse(Buffer.from(contexts[0]?.requests[0]?.body ?? []).toString());
    expect([body.model, body.tools.length, body.messages]).toEqual(["claude-3-5-sonnet-20241022", 1, messages]);
  });
});

describe("SWE-agent", () => {
  const call = (id: string) => ({ id, type: "function", function: { name: "bash", arguments: "{}" } });

  test("ids of calls may be used again: each call keeps its own result", async () => {
    const history = [
      { role: "system", content: "s", agent: "main" },
      { role: "user", content: "go", agent: "main" },
      { role: "assistant", content: "a", tool_calls: [call("x")], agent: "main" },
      { role: "tool", content: "first", tool_call_ids: ["x"], agent: "main" },
      { role: "assistant", content: "b", tool_calls: [call("x")], agent: "main" },
      { role: "tool", content: "second", tool_call_ids: ["x"], agent: "main" },
      { role: "assistant", content: "c", agent: "main" },
    ];
    const config = JSON.stringify({ agent: { model: { name: "gpt-4o" } } });
    const trajectory = { trajectory: [], history, info: {}, replay_config: config };
    const { format, contexts } = await recordingIn(folder.write("x.traj", JSON.stringify(trajectory)));
    expect([format, contexts[0]?.requests[0]?.model]).toEqual(["swe-agent", "gpt-4o"]);
    expect(outlines(contexts[0])[2]?.slice(2)).toEqual([
      "assistant: a | bash(x)",
      "user: =x first",
      "assistant: b | bash(x)",
      "user: =x second",
    ]);
  });

  test("mini-swe-agent's trajectories are read, bare or with what it knows of the model", async () => {
    const answer = {
      role: "assistant",
      content: "THOUGHT",
      extra: {
        response: { id: "r1", model: "m-1", usage: { prompt_tokens: 9, completion_tokens: 1 } },
        timestamp: 1_700_000_000,
      },
    };
    const messages = [
      { role: "system", content: "s" },
      { role: "user", content: "go" },
      answer,
      { role: "exit", content: "Submitted" },
    ];
    const info = { config: { model: { model_name: "m-0" } } };
    const own = await recordingIn(
      folder.write("mini.json", JSON.stringify({ info, messages, trajectory_format: "mini-swe-agent-1.1" })),
    );
    expect([own.format, own.contexts[0]?.requests[0]?.model, own.contexts[0]?.requests[0]?.usage?.inputTokens]).toEqual(
      ["mini-swe-agent", "m-1", 9],
    );
    const bare = await recordingIn(folder.write("bare-mini.json", JSON.stringify(messages.slice(0, 3))));
    expect([bare.format, outlines(bare.contexts[0])]).toEqual(["mini-swe-agent", [["system: s", "user: go"]]]);
  });
});
