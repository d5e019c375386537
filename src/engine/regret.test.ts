import { describe, expect, it } from "vitest";
import { calls, failure, numbered, type PartsMessage, results, says, sourceOf } from "../../test/support/source.ts";
import { createClaudeCodeDialect } from "../dialects/claude-code.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import { addressOf } from "../lib/hash.ts";
import type { Decision, ReleaseReason } from "../model/decision.ts";
import type { JsonValue } from "../model/json.ts";
import { lineIndexOf } from "./distinctive-lines.ts";
import { withoutRowNumbers } from "./forwarded-text.ts";
import { observe } from "./observe.ts";
import { type RegretInput, regretsIn } from "./regret.ts";

const DIALECT = createClaudeCodeDialect();
const PATH = "/w/f.ts";
const LINE = "export const retryDelays = computeBackoff(attempts, jitter);";
const OTHER = "export const connectionPool = openSockets(hosts, portsByName);";
const FILE = ["const a = 1;", `  ${LINE}`, "const b = 2;", "const c = 3;"];

describe("a strict regret", () => {
  it("is a released read whose lines are read again unchanged", () => {
    expect(shown([...read("r1"), ...idle(30)], ["r1"], read("r2"))).toEqual(["strict r1 32"]);
  });

  it("is a page or a command that answers the same when it is asked for again", () => {
    const command = (id: string) => step(id, "Bash", { command: "git show HEAD" }, "a commit");
    expect(shown(command("b1"), ["b1"], command("b2"))).toEqual(["strict b1 2"]);
    const page = (id: string) => step(id, "WebFetch", { url: "https://a.example", prompt: "x" }, "a page");
    expect(shown(page("f1"), ["f1"], page("f2"))).toEqual(["strict f1 2"]);
  });

  it('is an answer of "unchanged" that points to what left', () => {
    const again = step(
      "r2",
      "Read",
      { file_path: PATH },
      "File unchanged since last read. The content is still current.",
    );
    const input = inputOf([...read("r1"), ...idle(30), ...again], ["r1"], again);
    const target = input.decisions[0]?.itemKey ?? null;
    expect(regretsIn({ ...input, stubTargetOf: () => target }).map(({ kind }) => kind)).toEqual(["strict"]);
    expect(regretsIn({ ...input, stubTargetOf: () => null })).toEqual([]);
  });

  it("is named once, on the newest release of that content", () => {
    expect(shown([...read("r1"), ...read("r2"), ...idle(30)], ["r1", "r2"], read("r3"))).toEqual(["strict r2 33"]);
  });

  it.each<[string, readonly PartsMessage[]]>([
    ["whose content changed", read("r2", PATH, [...FILE, "more"])],
    ["of another file", read("r2", "/w/g.ts")],
    ["of other lines", step("r2", "Read", { file_path: PATH, offset: 2, limit: 4 }, numbered(1, ...FILE))],
    ["that failed", [calls(["r2", "Read", { file_path: PATH }]), failure("r2", numbered(1, ...FILE))]],
    ["by another tool", step("r2", "Bash", { command: `cat ${PATH}` }, numbered(1, ...FILE))],
  ])("is not a read %s", (_, again) => {
    expect(shown([...read("r1"), ...idle(30)], ["r1"], again)).toEqual([]);
  });

  it("is not a read that was there before the release", () => {
    expect(regretsIn(inputOf([...read("r1"), ...read("r2")], ["r1"], []))).toEqual([]);
  });

  it("is not a repaired answer, which released nothing", () => {
    expect(shown(read("r1"), ["r1"], read("r2"), { reason: "stub_repair" })).toEqual([]);
  });
});

describe("a use regret", () => {
  const released = [...read("r1"), ...idle(30)];

  it("is a released line that the agent writes out again, in a text or in a call", () => {
    expect(shown(released, ["r1"], [speaks(`so\n${LINE}\nit is`)])).toEqual(["use r1 32"]);
    const written = step("w1", "Write", { file_path: "/w/new.ts", content: `x\n  ${LINE}\n` }, "File created");
    expect(shown(released, ["r1"], written)).toEqual(["use r1 32"]);
  });

  it.each<[string, readonly PartsMessage[]]>([
    ["in another read", read("r0", "/w/copy.ts")],
    ["in what a person said", [says(`look: ${LINE}`)]],
    ["in what the agent wrote before", [speaks(LINE)]],
    ["in the input of a call", step("w0", "Write", { file_path: "/w/n.ts", content: LINE }, "ok")],
    ["in what a recall brought back", step("b0", "Bash", { command: "ebb recall x" }, `2: ${LINE}`)],
  ])("is not a line that also stands %s", (_, elsewhere) => {
    expect(shown([...released, ...elsewhere], ["r1"], [speaks(LINE)])).toEqual([]);
  });

  it("is not a line that the marker still shows", () => {
    expect(shown(released, ["r1"], [speaks(LINE)], { marker: `[ebb x]\n${LINE}` })).toEqual([]);
  });

  it("is not a short line, nor a part of a line, nor what a person says", () => {
    expect(shown(released, ["r1"], [speaks("const b = 2;")])).toEqual([]);
    expect(shown(released, ["r1"], [speaks(`see ${LINE} there`)])).toEqual([]);
    expect(shown(released, ["r1"], [says(LINE)])).toEqual([]);
  });

  it("is not a line that comes twice in what left", () => {
    const twice = read("r1", PATH, [...FILE, LINE]);
    expect(shown([...twice, ...idle(30)], ["r1"], [speaks(LINE)])).toEqual([]);
  });
});

describe("an induced regret", () => {
  it("is any read of a released path within 20 steps, through the shell as well", () => {
    const other = ["something else", "altogether"];
    expect(shown([...read("r1"), ...idle(19)], ["r1"], read("r2", PATH, other))).toEqual(["induced r1 21"]);
    expect(shown([...read("r1"), ...idle(20)], ["r1"], read("r2", PATH, other))).toEqual([]);
    expect(shown(read("r1"), ["r1"], read("r2", "/w/g.ts", other))).toEqual([]);
    const printed = (command: string) => step("b2", "Bash", { command }, "x");
    expect(shown(read("r1"), ["r1"], printed(`cat ${PATH}`))).toEqual(["induced r1 2"]);
    expect(shown(read("r1"), ["r1"], printed(`sort ${PATH}`))).toEqual([]);
  });

  it("is an edit of text that stands in a released item alone, whatever the steps", () => {
    const from = `const a = 1;\n  ${LINE}\n`;
    expect(shown([...read("r1"), ...idle(30)], ["r1"], edit("e1", from))).toContain("induced r1 32");
    const printed = step("b1", "Bash", { command: `cat ${PATH}` }, FILE.join("\n"));
    expect(shown([...printed, ...idle(30)], ["b1"], edit("e1", "const b = 2;"))).toEqual(["induced b1 32"]);
  });

  it.each<[string, readonly PartsMessage[]]>([
    ["in a held read", read("r0")],
    ["in an earlier edit", edit("e0", "zzz", "const b = 2;\nconst c = 3;")],
    ["in what a person said", [says("replace const b = 2;\nconst c = 3;")]],
  ])("is not an edit of text that also stands %s", (_, elsewhere) => {
    const from = "const b = 2;\nconst c = 3;";
    expect(shown([...read("r1"), ...elsewhere, ...idle(30)], ["r1"], edit("e1", from))).toEqual([]);
  });

  it("is not an edit of text that stands nowhere, nor one that failed", () => {
    const before = [...read("r1"), ...idle(30)];
    expect(shown(before, ["r1"], edit("e1", OTHER))).toEqual([]);
    const failed = [calls(editCall("e1", "const b = 2;", "x")), failure("e1", "not found")];
    expect(shown(before, ["r1"], failed)).toEqual([]);
  });
});

it("counts a released item once for each kind, and what the ledger has not again", () => {
  const input = inputOf([...read("r1"), ...read("r2")], ["r1"], read("r2"));
  expect(regretsIn(input).map(({ kind }) => kind)).toEqual(["strict", "induced"]);
  expect(regretsIn({ ...input, isCounted: (_, kind) => kind === "strict" }).map(({ kind }) => kind)).toEqual([
    "induced",
  ]);
  const twice = inputOf([...read("r1"), ...read("r2"), ...read("r3")], ["r1"], [...read("r2"), ...read("r3")]);
  expect(regretsIn(twice).map(({ kind, step: at }) => `${kind} ${at}`)).toEqual(["strict 2", "induced 2"]);
});

it("decodes nothing where nothing was released or nothing is new", () => {
  const source = sourceOf([...read("r1"), ...edit("e1", "const b = 2;")]);
  const input = inputFrom(source, ["r1"], new Set());
  const read1 = source.decoded.length;
  expect(regretsIn(input)).toEqual([]);
  expect(
    regretsIn({ ...input, decisions: [], newKeys: new Set(source.transcript.items.map(({ key }) => key)) }),
  ).toEqual([]);
  expect(source.decoded.length).toBe(read1);
});

/** Kind, released call and step of each regret that `after` shows, where the calls `released` had left before it. */
function shown(
  before: readonly PartsMessage[],
  released: readonly string[],
  after: readonly PartsMessage[],
  changes: { readonly reason?: ReleaseReason; readonly marker?: string } = {},
): readonly string[] {
  const input = inputOf([...before, ...after], released, after, changes);
  return regretsIn(input).map((one) => `${one.kind} ${one.itemKey.split(":")[0]} ${one.step}`);
}

function inputOf(
  messages: readonly PartsMessage[],
  released: readonly string[],
  after: readonly PartsMessage[],
  changes: { readonly reason?: ReleaseReason; readonly marker?: string } = {},
): RegretInput {
  const source = sourceOf(messages);
  const from = messages.length - after.length;
  const fresh = source.transcript.items.filter(({ messageIndex }) => messageIndex >= from);
  return inputFrom(source, released, new Set(fresh.map(({ key }) => key)), changes);
}

function inputFrom(
  source: ReturnType<typeof sourceOf>,
  released: readonly string[],
  newKeys: ReadonlySet<string>,
  changes: { readonly reason?: ReleaseReason; readonly marker?: string } = {},
): RegretInput {
  const textOf = source.textOf.bind(source);
  return {
    transcript: source.transcript,
    observations: observe(source, DIALECT, createShellParser(), { get: () => undefined, set: () => undefined }),
    newKeys,
    decisions: source.transcript.items.flatMap((item) => {
      if (item.kind !== "result" || !released.includes(item.callId)) return [];
      return [{ ...decisionOn(item.key), originalDigest: item.digest, ...changes }];
    }),
    stepsBefore: 0,
    isCounted: () => false,
    stubTargetOf: () => null,
    textOf,
    linesOf: (item, isNumbered) => lineIndexOf(isNumbered ? withoutRowNumbers(textOf(item)) : textOf(item)),
    changeText: (call, text) => DIALECT.changeText(call, text),
  };
}

/** Released in the first step. */
function decisionOn(itemKey: string): Decision {
  return {
    itemKey,
    address: addressOf(itemKey),
    policy: "p",
    reason: "expired",
    evidenceKey: null,
    wish: null,
    moment: "cold",
    thinkingBehind: null,
    step: 1,
    turn: 1,
    templateVersion: 1,
    channel: { kind: "none" },
    marker: "[ebb x]",
    originalDigest: "",
    originalBytes: 1,
    originalTokens: 1,
    markerTokens: 1,
  };
}

function step(id: string, tool: string, input: JsonValue, text: string): readonly PartsMessage[] {
  return [calls([id, tool, input]), results([id, text])];
}

function read(id: string, path = PATH, lines: readonly string[] = FILE): readonly PartsMessage[] {
  return step(id, "Read", { file_path: path }, numbered(1, ...lines));
}

function editCall(id: string, from: string, to: string): [string, string, JsonValue] {
  return [id, "Edit", { file_path: PATH, old_string: from, new_string: to }];
}

function edit(id: string, from: string, to = "y"): readonly PartsMessage[] {
  return [calls(editCall(id, from, to)), results([id, `The file ${PATH} has been updated.`])];
}

function idle(count: number): readonly PartsMessage[] {
  return Array.from({ length: count }, (_, at) => step(`i${at}`, "Bash", { command: `true ${at}` }, `ok ${at}`)).flat();
}

function speaks(text: string): PartsMessage {
  return { role: "assistant", parts: [{ kind: "text", text }] };
}
