import { sha256Hex } from "../lib/hash.ts";
import type { Acquisition } from "../model/acquisition.ts";
import type { CallItem, ResultItem } from "../model/item.ts";
import type { JsonValue } from "../model/json.ts";
import type { Dialect, ShellParser } from "../model/ports.ts";

/** One call of the agent's tools with its result, recorded or built, and what they must mean. */
export interface DialectSample {
  readonly name: string;
  readonly tool: string;
  readonly input: JsonValue;
  /** Null: the call has no result yet. */
  readonly result: { readonly text: string; readonly isError?: boolean; readonly mediaCount?: number } | null;
  readonly expected: Partial<Acquisition>;
}

/** One promise of the port. `run` throws with words where the dialect breaks it. */
export interface DialectCheck {
  /** A sentence about behaviour. */
  readonly name: string;
  run(): void;
}

type Sampled = readonly [name: string, run: (sample: DialectSample) => void];

const INPUTS: readonly JsonValue[] = [
  null,
  true,
  7,
  "text",
  [],
  {},
  [{ file_path: "/a" }],
  { file_path: 7, path: ["/a"], offset: "x", limit: -1e300, command: { rm: "f" }, pages: null },
  { file_path: "", path: "", command: "", offset: 1.5, limit: 0 },
  {
    filePath: "/a",
    path: "/a",
    file_path: "/a",
    absolute_path: "/a",
    command: "cat '",
    cmd: "$(",
    input: "*** Begin Patch",
  },
  {
    path: "/a",
    offset: -3,
    limit: 2,
    start_line: 9,
    end_line: 2,
    view_range: [0, -2],
    command: ["cat", 7],
    edits: [7],
  },
  { __proto__: { file_path: "/a" }, constructor: "x" },
];
const TOOLS = ["Read", "read", "Edit", "edit", "Write", "Bash", "bash", "shell", "mcp__x__y", "", "constructor"];
const TEXTS = ["", "\n", "1\t", "<system-reminder>", "99999999999999999999\tx", "\ud800", "<tool_use_error>", "[]"];

/** The conformance kit of the Dialect port, for any test runner: hand each check to yours. */
export function testDialect(
  dialect: Dialect,
  shell: ShellParser | null,
  samples: readonly DialectSample[],
): readonly DialectCheck[] {
  const sampled: readonly Sampled[] = [
    ["means what is expected", (sample) => meansExpected(dialect, shell, sample)],
    ["proves nothing before its result", (sample) => provesNothingUnanswered(dialect, shell, sample)],
    ["changes no file when it failed", (sample) => changesNothingFailed(dialect, shell, sample)],
    ["is read the same twice, and without a shell parser", (sample) => isSteady(dialect, shell, sample)],
  ];
  return [
    { name: "it names itself", run: () => hold(dialect.name.length > 0, "the name is empty") },
    { name: "it reads any input and any text without throwing", run: () => takesAnything(dialect, shell, samples) },
    { name: "it takes no empty message for a person's", run: () => judgesEmptyTexts(dialect) },
    {
      name: "it answers a working directory and notices only where a text states them",
      run: () => claimsNothing(dialect),
    },
    ...samples.flatMap((sample) =>
      sampled.map(([name, run]) => ({ name: `${sample.name}: the call ${name}`, run: () => run(sample) })),
    ),
  ];
}

function meansExpected(dialect: Dialect, shell: ShellParser | null, sample: DialectSample): void {
  const acquisition = dialect.acquire(callOf(sample), resultOf(sample), sample.result?.text ?? "", shell);
  for (const [name, expected] of Object.entries(sample.expected)) {
    const actual = Object.entries(acquisition).find(([own]) => own === name)?.[1];
    const isEqual = JSON.stringify(actual) === JSON.stringify(expected);
    hold(isEqual, `${name} is ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`);
  }
  isWellFormed(acquisition, sample.tool);
}

function provesNothingUnanswered(dialect: Dialect, shell: ShellParser | null, sample: DialectSample): void {
  const { outcome, changes, printed, isUnchangedStub, isShellRead } = dialect.acquire(callOf(sample), null, "", shell);
  hold(outcome === "missing", `the outcome is ${outcome}`);
  hold(changes.length === 0, "it claims changes");
  hold(printed === null && !isUnchangedStub && !isShellRead, "it claims printed lines");
}

function changesNothingFailed(dialect: Dialect, shell: ShellParser | null, sample: DialectSample): void {
  const failed = { ...sample, result: { text: "it failed", isError: true } };
  const acquisition = dialect.acquire(callOf(failed), resultOf(failed), "it failed", shell);
  const { outcome, changes, isUnchangedStub, isShellRead } = acquisition;
  hold(outcome === "failed" || outcome === "interrupted", `the outcome is ${outcome}`);
  hold(changes.length === 0, "it claims changes");
  hold(!isUnchangedStub && !isShellRead, "it claims what the file holds");
}

function isSteady(dialect: Dialect, shell: ShellParser | null, sample: DialectSample): void {
  const read = (parser: ShellParser | null) =>
    dialect.acquire(callOf(sample), resultOf(sample), sample.result?.text ?? "", parser);
  const [first, second] = [read(shell), read(shell)].map((acquisition) => JSON.stringify(acquisition));
  hold(first === second, "two readings differ");
  const unparsed = read(null);
  hold(!unparsed.changes.some(({ source }) => source === "shell"), "it claims shell changes without a parser");
  hold(!unparsed.isShellRead, "it claims a shell read without a parser");
}

function takesAnything(dialect: Dialect, shell: ShellParser | null, samples: readonly DialectSample[]): void {
  for (const tool of new Set([...TOOLS, ...samples.map((sample) => sample.tool)])) {
    for (const [index, input] of INPUTS.entries()) {
      const text = TEXTS[index % TEXTS.length] ?? "";
      const sample = { name: "any", tool, input, result: { text }, expected: {} };
      isWellFormed(dialect.acquire(callOf(sample), resultOf(sample), text, shell), tool);
      dialect.changeText(callOf(sample), text);
    }
  }
  for (const text of TEXTS) {
    dialect.isGenuineUser([text]);
    dialect.isFold([text]);
    dialect.noticesIn(text);
    dialect.workingDirectoryOf([text]);
  }
}

function judgesEmptyTexts(dialect: Dialect): void {
  hold(!dialect.isGenuineUser([]), "a message without texts counts as typed");
  hold(!dialect.isGenuineUser(["", " \n"]), "empty texts count as typed");
  hold(dialect.isGenuineUser(["Please read the file."]), "a plain sentence does not count as typed");
  hold(!dialect.isFold([]) && !dialect.isFold(["Please read the file."]), "a plain sentence counts as a summary");
}

function claimsNothing(dialect: Dialect): void {
  const texts = ["", "Please read the file.", "I modified /a/b.ts myself."];
  hold(dialect.workingDirectoryOf(texts) === null, "it states a working directory");
  hold(
    texts.every((text) => dialect.noticesIn(text).length === 0),
    "it takes plain words for a notice",
  );
}

function isWellFormed(acquisition: Acquisition, tool: string): void {
  const { kind, window, printed, isShellRead, isUnchangedStub, outcome, changes, path } = acquisition;
  hold(acquisition.callId === "call-1" && acquisition.tool === tool, "it belongs to another call");
  hold(window === null || (window.start >= 1 && (window.end ?? window.start) >= window.start), "the window is none");
  hold(printed === null || (printed.start >= 0 && printed.end >= printed.start - 1), "the printed lines are none");
  hold(kind === "read" || !isUnchangedStub, `a ${kind} is a read's answer`);
  hold(kind === "read" || isShellRead || (window === null && printed === null), `a ${kind} has a read's fields`);
  const isRunRead = kind === "run" && outcome === "ok" && path !== null && window !== null;
  hold(!isShellRead || isRunRead, "a shell read lacks a read's fields");
  hold(!isShellRead || (printed === null) === (window?.part !== null), "a shell read does not tell its lines");
  hold(outcome === "ok" || changes.every(({ source }) => source === "notice"), "it claims changes without success");
  hold(path !== "", "the path is empty");
}

function callOf({ tool, input }: DialectSample): CallItem {
  return {
    ...measured(JSON.stringify(input)),
    kind: "call",
    key: "call-1",
    role: "assistant",
    callId: "call-1",
    name: tool,
    input,
  };
}

function resultOf({ result }: DialectSample): ResultItem | null {
  if (result === null) return null;
  return {
    ...measured(result.text),
    kind: "result",
    key: "result-1",
    role: "user",
    callId: "call-1",
    isError: result.isError ?? false,
    mediaCount: result.mediaCount ?? 0,
    isReplaceable: true,
  };
}

function measured(text: string) {
  const bytes = new TextEncoder().encode(text).length;
  return { digest: sha256Hex(text), bytes, lines: text.split("\n").length, messageIndex: 0, blockIndex: 0 };
}

function hold(condition: boolean, words: string): void {
  if (!condition) throw new Error(words);
}
