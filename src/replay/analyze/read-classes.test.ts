import { expect, it } from "vitest";
import { dialects } from "../../builtins.ts";
import type { ShellReads } from "../../engine/evidence.ts";
import { createShellParser } from "../../keeper/shell-parser.ts";
import { SIZE_BOUND_DEFAULT } from "../../policies/size-bound-default.ts";
import { createOpenaiResponses } from "../../wires/openai-responses/index.ts";
import { classifyReads } from "./read-classes.ts";
import { type AnalysisParts, understandHistory } from "./understood-history.ts";

const counter = { count: (text: string) => text.length };

function classesWith(shellReads: ShellReads): readonly string[] {
  const parts: AnalysisParts = {
    wires: [createOpenaiResponses()],
    dialects,
    shell: createShellParser(),
    evidence: { bashEdits: false, harnessNotices: true, shellReads },
    counter,
    bound: SIZE_BOUND_DEFAULT,
  };
  const shown = ["sed -n '1,9p' /w/a.ts", "sed -n '1,9p' /w/a.ts", "ls /w"];
  const input = shown.flatMap((cmd, index) => [
    { type: "function_call", call_id: `c${index}`, name: "exec_command", arguments: JSON.stringify({ cmd }) },
    { type: "function_call_output", call_id: `c${index}`, output: "Exit code: 0\nWall time: 0 seconds\nOutput:\na\n" },
  ]);
  const tools = ["exec_command", "write_stdin"].map((name) => ({ type: "function", name }));
  const body = Buffer.from(JSON.stringify({ model: "m", tools, input: [{ role: "user", content: "go" }, ...input] }));
  const outcome = understandHistory(body, "openai-responses", parts);
  if (!outcome.ok) throw new Error(outcome.words);
  return classifyReads(outcome.history, counter).reads.map((read) => read.class);
}

it("counts shell reads among the reads of an agent that has no other, unless it is told not to", () => {
  expect(classesWith("auto")).toEqual(["superseded", "fresh"]);
  expect(classesWith("off")).toEqual([]);
});
