import { expect, it } from "vitest";
import { dialects } from "../../builtins.ts";
import { createShellParser } from "../../keeper/shell-parser.ts";
import type { JsonValue } from "../../model/json.ts";
import { SIZE_BOUND_DEFAULT } from "../../policies/size-bound-default.ts";
import { createAnthropicMessages } from "../../wires/anthropic-messages/index.ts";
import type { Residency } from "./residency.ts";
import { measureToolOutput } from "./tool-output.ts";
import { type AnalysisParts, understandHistory } from "./understood-history.ts";

const unsent: Residency = {
  requests: 0,
  inputTokens: 0,
  overheadTokenTurns: 0,
  peakWindow: 0,
  resultTokenTurns: new Map(),
  requestsOf: new Map(),
};

function editsIn(calls: readonly (readonly [name: string, input: JsonValue])[], bashEdits: boolean): number {
  const parts: AnalysisParts = {
    wires: [createAnthropicMessages()],
    dialects,
    shell: createShellParser(),
    evidence: { bashEdits, harnessNotices: true, shellReads: "auto" },
    counter: { count: (text) => text.length },
    bound: SIZE_BOUND_DEFAULT,
  };
  const messages = calls.flatMap(([name, input], index) => [
    { role: "assistant", content: [{ type: "tool_use", id: `t${index}`, name, input }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `t${index}`, content: "done" }] },
  ]);
  const names = ["Read", "Edit", "Bash", "TodoWrite"].map((name) => ({ name }));
  const system = "You are Claude Code, Anthropic's official CLI for Claude.";
  const opened = [{ role: "user", content: "go" }, ...messages];
  const body = Buffer.from(JSON.stringify({ model: "m", system, tools: names, messages: opened }));
  const outcome = understandHistory(body, "anthropic-messages", parts);
  if (!outcome.ok) throw new Error(outcome.words);
  return measureToolOutput(outcome.history, unsent, parts).edits;
}

it("counts a shell command that writes a file as an edit only where such commands are evidence", () => {
  const edit = ["Edit", { file_path: "/w/a.ts", old_string: "a", new_string: "b" }] as const;
  const write = ["Bash", { command: "echo b > /w/a.ts" }] as const;
  const look = ["Bash", { command: "cat /w/a.ts" }] as const;
  expect(editsIn([edit, write, look], false)).toBe(1);
  expect(editsIn([edit, write, look], true)).toBe(2);
});
