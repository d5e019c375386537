import { describe, expect, test } from "vitest";
import { EDITED, edit, evidenceOf, read } from "../../test/support/evidence.ts";
import { calls, harness, type PartsMessage, results, says, sourceOf } from "../../test/support/source.ts";
import { createClaudeCodeDialect } from "../dialects/claude-code.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import { observe } from "./observe.ts";

const dialect = createClaudeCodeDialect();
const shell = createShellParser();
const PATH = { file_path: "/w/f.ts" };

function outcomesOf(messages: readonly PartsMessage[]): readonly string[] {
  const { acquisitions } = observe(sourceOf(messages), dialect, shell, new Map());
  return acquisitions.map(({ acquisition }) => `${acquisition.callId} ${acquisition.outcome}`);
}

describe("observe", () => {
  test("places calls by step and index, and pairs them with results in any order", () => {
    const source = sourceOf([
      says("go"),
      calls(["a", "Read", PATH], ["b", "Edit", PATH]),
      results(["b", EDITED], ["a", "1\tx"]),
      calls(["c", "Write", PATH]),
      results(["c", EDITED]),
    ]);
    const { acquisitions, steps, turns } = observe(source, dialect, shell, new Map());
    expect(acquisitions.map(({ acquisition, step, callIndex }) => [acquisition.callId, step, callIndex])).toEqual([
      ["a", 1, 0],
      ["b", 1, 1],
      ["c", 2, 0],
    ]);
    expect(acquisitions.map(({ path, changedPaths }) => [path, changedPaths])).toEqual([
      ["/w/f.ts", []],
      ["/w/f.ts", ["/w/f.ts"]],
      ["/w/f.ts", ["/w/f.ts"]],
    ]);
    expect([steps, turns]).toEqual([2, 1]);
  });

  test("counts no step for a round that the client never saw", () => {
    const source = sourceOf([
      says("go"),
      calls(["a", "Read", PATH], ["r", "ebb_recall", {}]),
      results(["r", "recalled"]),
      calls(["b", "Edit", PATH]),
      results(["b", EDITED]),
      calls(["s", "ebb_recall", {}]),
      results(["s", "recalled"], ["c", "1\tx"]),
      calls(["d", "Read", PATH]),
    ]);
    const placesWith = (...roundCalls: readonly string[]) => {
      const { acquisitions } = observe(source, dialect, shell, new Map(), new Set(roundCalls));
      return acquisitions.map(({ acquisition: { callId }, step, callIndex }) => `${callId} ${step} ${callIndex}`);
    };
    expect(placesWith("r", "s")).toEqual(["a 1 0", "r 1 1", "b 1 2", "s 2 0", "d 3 0"]);
    expect(placesWith()).toEqual(["a 1 0", "r 1 1", "b 2 0", "s 3 0", "d 4 0"]);
  });

  test("takes no result from behind the next assistant message, and none that stands before its call", () => {
    const late = [
      calls(["a", "Read", PATH]),
      says("wait"),
      calls(["b", "Read", PATH]),
      results(["a", "1\tx"], ["b", "1\tx"]),
    ];
    expect(outcomesOf(late)).toEqual(["a missing", "b ok"]);
    expect(outcomesOf([results(["a", "1\tx"]), calls(["a", "Read", PATH])])).toEqual(["a missing"]);
  });

  test("takes results behind a system message, and behind an assistant message that is split", () => {
    const messages = [
      calls(["a", "Read", PATH]),
      calls(["b", "Read", PATH]),
      harness("x"),
      results(["a", "1\tx"], ["b", "1\tx"]),
    ];
    expect(outcomesOf(messages)).toEqual(["a ok", "b ok"]);
  });

  test("counts the first of two calls and of two results with one id", () => {
    const twice = [
      calls(["a", "Read", PATH]),
      results(["a", "1\tx"], ["a", "<tool_use_error>x</tool_use_error>"]),
      calls(["a", "Edit", PATH]),
      results(["a", EDITED]),
    ];
    expect(outcomesOf(twice)).toEqual(["a ok"]);
  });

  test("counts turns by what a person typed", () => {
    const { turns, steps } = observe(
      sourceOf([
        says("<system-reminder>x</system-reminder>"),
        says("go"),
        harness("go"),
        calls(["a", "Read", PATH]),
        {
          role: "user",
          parts: [
            { kind: "result", id: "a", text: "1\tx" },
            { kind: "text", text: "and then?" },
          ],
        },
        calls(["b", "Read", PATH]),
        results(["b", "1\tx"]),
      ]),
      dialect,
      shell,
      new Map(),
    );
    expect([turns, steps]).toEqual([2, 2]);
  });

  test("reads the working directory of the system prompt before that of a message", () => {
    const environment = harness("# Environment\n - Primary working directory: /message\n");
    const directoryOf = (systemTexts: readonly string[], ...messages: readonly PartsMessage[]) =>
      observe(sourceOf(messages, { systemTexts }), dialect, shell, new Map()).workingDirectory;
    expect(directoryOf(["Working directory: /system"], says("go"), environment)).toBe("/system");
    expect(directoryOf([], says("go"), environment)).toBe("/message");
    expect(directoryOf([], says("Working directory: /typed"))).toBeNull();
  });

  test("says whether the history begins with a summary of an earlier one", () => {
    const summary = says("This session is being continued from a previous conversation that ran out of context.");
    const isFolded = (...messages: readonly PartsMessage[]) =>
      observe(sourceOf(messages), dialect, shell, new Map()).isFolded;
    expect(isFolded(summary, calls())).toBe(true);
    expect(isFolded(says("go"), calls(), summary)).toBe(false);
    expect(isFolded(says("<system-reminder>a file</system-reminder>"), summary, calls())).toBe(true);
  });

  test("collects notices of the harness with the steps before them", () => {
    const words = "Note: src/f.ts changed on disk since you last read it.";
    const { observed } = evidenceOf([...read("r1"), harness(words), ...edit("e1")]);
    expect(observed.notices).toMatchObject([
      { path: "/w/src/f.ts", step: 1, change: { kind: "edit", source: "notice" } },
    ]);
  });

  test("resolves a shell notice from where the shell stands after the command", () => {
    const note = "[This command modified 1 file you've previously read: f.ts. Call Read before editing.]";
    const changed = (command: string) =>
      observe(
        sourceOf([calls(["a", "Bash", { command }]), results(["a", note])]),
        dialect,
        shell,
        new Map(),
      ).acquisitions.map(({ changedPaths }) => changedPaths);
    expect(changed("make")).toEqual([["/w/f.ts"]]);
    expect(changed("cd /w && make")).toEqual([["/w/f.ts"]]);
    expect(changed("cd /w/sub && make")).toEqual([["unknown-directory-1/f.ts"]]);
  });

  test("counts the media of results", () => {
    const image: PartsMessage = { role: "user", parts: [{ kind: "result", id: "a", text: "", mediaCount: 2 }] };
    const { mediaCounts, acquisitions } = observe(
      sourceOf([calls(["a", "Read", PATH]), image]),
      dialect,
      shell,
      new Map(),
    );
    expect([...mediaCounts]).toEqual([[acquisitions[0]?.resultKey, 2]]);
  });

  test("decodes each text once: what was read before comes from the memo", () => {
    const memo = new Map();
    const messages = [
      says("go"),
      ...read("r1"),
      harness("Note: f changed on disk since you last read it."),
      ...edit("e1"),
    ];
    const first = sourceOf(messages);
    const observed = observe(first, dialect, shell, memo);
    expect(first.decoded).toHaveLength(4);
    const again = sourceOf(messages);
    expect(observe(again, dialect, shell, memo)).toEqual(observed);
    expect(again.decoded).toEqual([]);
    const longer = sourceOf([...messages, ...read("r2", "/w/g.ts")]);
    observe(longer, dialect, shell, memo);
    expect(longer.decoded).toHaveLength(1);
  });

  test("never mixes up what two dialects, or a shell parser and none, made of the same items", () => {
    const memo = new Map();
    const source = sourceOf([calls(["a", "Bash", { command: "rm f" }]), results(["a", ""])]);
    const changes = (parser: typeof shell | null) =>
      observe(source, dialect, parser, memo).acquisitions[0]?.changedPaths;
    expect([changes(null), changes(shell), changes(null)]).toEqual([[], ["/w/f"], []]);
  });

  test("takes items it has seen from memory, and never those of another call, dialect or shell", () => {
    const seen = new WeakMap();
    const forgetful = { get: () => undefined, set: () => undefined, seen };
    const source = sourceOf([says("go"), calls(["a", "Bash", { command: "cd /x && touch y" }]), results(["a", "ok"])]);
    const first = observe(source, dialect, shell, forgetful);
    const { transcript } = source;
    const mute = { ...source, textOf: () => expect.fail("what was seen is decoded again") };
    expect(observe(mute, dialect, shell, forgetful)).toEqual(first);
    expect(observe(source, dialect, null, forgetful)).not.toEqual(first);
    const items = transcript.items.map((item) =>
      item.kind === "call" ? { ...item, name: "Read", input: PATH } : item,
    );
    const changed = { ...source, transcript: { ...transcript, items } };
    expect(observe(changed, dialect, shell, forgetful).acquisitions[0]?.path).toBe("/w/f.ts");
  });
});
