import { describe, expect, it } from "vitest";
import { numberLines, textLines } from "../engine/selection-lines.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { ItemRecord } from "../model/ledger.ts";
import type { PatternEngine } from "../model/ports.ts";
import { SIZE_BOUND_DEFAULT } from "../policies/size-bound-default.ts";
import { createMemoryStore } from "../stores/memory.ts";
import type { RecallAnswer } from "./contract.ts";
import { createPatternEngine } from "./pattern-engine.ts";
import { recallItem } from "./recall.ts";
import { type AnswerInput, renderAnswer } from "./recall-answer.ts";
import { type Pattern, SEARCH_STEPS_MAX, searchPieces } from "./recall-search.ts";

const WHOLE = { from: 1, to: null, chars: null };
const MEGABYTE = 1_000_000;

const SAMPLE_ITEM: ItemRecord = {
  key: "result:b1:x",
  address: "0123456789ab",
  kind: "result",
  callId: "b1",
  digest: "",
  bytes: 0,
  lines: 0,
  mediaType: null,
  label: { tool: "Bash", path: null, lineStart: null, lineEnd: null, command: "x" },
  isError: false,
  absolutePath: null,
  isStored: true,
  step: 1,
  turn: 1,
};

/** A compiled pattern that counts the steps it may have taken. */
function counted(pattern: string): Pattern & { taken(): number } {
  const compiled = createPatternEngine().compile(pattern, false);
  if (!compiled.ok) throw new Error(compiled.words);
  let steps = 0;
  return {
    ...compiled,
    test(line) {
      steps += line.length * compiled.steps;
      return compiled.test(line);
    },
    taken: () => steps,
  };
}

/** Takes `steps` for a character and finds what includes the needle. */
function finder(needle: string, steps: number): Pattern {
  return { ok: true, steps, test: (line) => line.includes(needle) };
}

function answer(changes: Partial<AnswerInput> & Pick<AnswerInput, "text">): readonly [string, string] {
  const rendered = renderAnswer({
    title: "title",
    note: null,
    selection: WHOLE,
    pattern: null,
    bound: SIZE_BOUND_DEFAULT,
    chars: null,
    stepsMax: SEARCH_STEPS_MAX,
    ...changes,
  });
  if (rendered.kind === "nothing") return ["nothing", ""];
  const blank = rendered.text.indexOf("\n\n");
  const [, state = ""] = rendered.text.slice(0, blank).split("; ");
  return [state, rendered.text.slice(blank + 2)];
}

const hit = { source: "hit", compiled: finder("hit", 10) };

describe("a search within its steps", () => {
  it("finds lines with their numbers, and says that it is complete", () => {
    expect(answer({ text: textLines("hit 1\nmiss\nhit 2"), pattern: hit })).toEqual([
      "2 shown, complete",
      "1: hit 1\n3: hit 2",
    ]);
  });

  it("says where it goes on when an answer is full, at the next line that matches", () => {
    const bound = { lines: 1, bytes: 1_000 };
    expect(answer({ text: textLines("hit 1\nmiss\nhit 2\nhit 3"), pattern: hit, bound })).toEqual([
      "1 shown, continue with range=3-",
      "1: hit 1\n",
    ]);
    const selection = { from: 1, to: 3, chars: null };
    expect(answer({ text: textLines("hit 1\nhit 2\nhit 3\nhit 4"), pattern: hit, bound, selection })).toEqual([
      "1 shown, continue with range=2-3",
      "1: hit 1\n",
    ]);
  });

  it("shows a matching line over the cap in parts, whose continuation matches as the whole line does", () => {
    const text = textLines("miss\na hit that is long\nhit");
    expect(answer({ text, pattern: hit, chars: 8 })).toEqual([
      "characters 1 to 5 of line 2 shown, continue with range=2@6-, then range=3-",
      "2: a hit",
    ]);
    const selection = { from: 2, to: 2, chars: { from: 6, to: null } };
    expect(answer({ text, pattern: hit, chars: 8, selection })).toEqual([
      "characters 6 to 10 of line 2 shown, continue with range=2@11-",
      "2:  that",
    ]);
  });

  it("shows at least one character of a line, however short the cap is beside its number", () => {
    expect(answer({ text: textLines("hit"), pattern: hit, chars: 1 })).toEqual([
      "characters 1 to 1 of line 1 shown, continue with range=1@2-",
      "1: h",
    ]);
  });

  it("that matches nothing says so; a range without lines is none", () => {
    expect(answer({ text: textLines("miss\nmiss"), pattern: hit })).toEqual(["nothing", ""]);
    const selection = { from: 9, to: null, chars: null };
    expect(answer({ text: textLines("miss"), pattern: hit, selection })).toEqual(["0 lines shown, complete", ""]);
  });

  it("tests the lines of a window without the numbers printed before them, and prints those once", () => {
    const text = numberLines("     9→hit\n    10→9\n", { lineStart: 9, lineEnd: null });
    expect(answer({ text, pattern: { source: "^9", compiled: counted("^9") } })).toEqual([
      "1 shown, complete",
      "    10→9\n",
    ]);
  });
});

describe("a search over its steps", () => {
  it("stops before the line that would pass them and names it", () => {
    // Each line costs (4 + 20) characters of 10 steps.
    const text = textLines("hit\n".repeat(10));
    expect(answer({ text, pattern: hit, stepsMax: 720 })).toEqual([
      "3 shown, searched up to line 3, continue with range=4-",
      "1: hit\n2: hit\n3: hit\n",
    ]);
    expect(answer({ text: textLines("miss\n".repeat(10)), pattern: hit, stepsMax: 720 })).toEqual([
      "0 lines shown, searched up to line 2, continue with range=3-",
      "",
    ]);
  });

  it("finds everything when it is continued as it says", () => {
    const text = textLines(Array.from({ length: 50 }, (_, index) => `${index % 7 === 0 ? "hit" : "miss"}\n`).join(""));
    let found = "";
    let answers = 0;
    for (let from: number | null = 1; from !== null; answers++) {
      const [state, shown] = answer({
        text,
        pattern: hit,
        stepsMax: 2_000,
        selection: { from, to: null, chars: null },
      });
      found += shown;
      const next = /range=(\d+)-/.exec(state)?.[1];
      from = next === undefined ? null : Number(next);
    }
    expect(found.match(/^\d+/gm)).toEqual(["1", "8", "15", "22", "29", "36", "43", "50"]);
    expect(answers).toBeGreaterThan(3);
  });

  it("leaves out a line that alone passes them, and is not complete", () => {
    const text = textLines(`hit\n${"x".repeat(1_000)}hit\nhit`);
    expect(answer({ text, pattern: hit, stepsMax: 1_000 })).toEqual([
      "2 shown, line 2 not searched (too long for this pattern)",
      "1: hit\n3: hit",
    ]);
    expect(answer({ text: textLines("x".repeat(1_000)), pattern: hit, stepsMax: 1_000 })).toEqual([
      "0 lines shown, line 1 not searched (too long for this pattern)",
      "",
    ]);
    expect(answer({ text: textLines(`${"x".repeat(1_000)}\n`.repeat(9)), pattern: hit, stepsMax: 1_000 })[0]).toBe(
      "0 lines shown, lines 1, 2, 3, 4, 5 and 4 more not searched (too long for this pattern)",
    );
  });
});

describe("a keeper's recall of 50 MB", () => {
  const line = `${"a".repeat(49)}\n`;
  const bytes = Buffer.from(line.repeat(MEGABYTE));
  const digest = sha256Hex(bytes);
  const patterns = createPatternEngine();
  let steps = 0;
  const counting: PatternEngine = {
    compile(pattern, ignoreCase) {
      const compiled = patterns.compile(pattern, ignoreCase);
      if (!compiled.ok) return compiled;
      return {
        ...compiled,
        test(tested) {
          steps += tested.length * compiled.steps;
          return compiled.test(tested);
        },
      };
    },
  };

  async function ask(range: string | null, pattern: string | null): Promise<RecallAnswer> {
    const item = { ...SAMPLE_ITEM, digest, bytes: bytes.length, lines: MEGABYTE };
    const found = { item, lineage: "l1", sessionId: "s1", acquiredAtMs: 1 };
    const store = createMemoryStore({});
    const query = {
      tenant: "local",
      id: "b1",
      range,
      pattern,
      ignoreCase: false,
      chars: null,
      sessionId: null,
    } as const;
    return recallItem(
      { ...query, by: "agent", atMs: 2 },
      {
        store: { ...store, findItems: async () => [found], getOriginal: async () => ({ state: "present", bytes }) },
        patterns: counting,
        bound: SIZE_BOUND_DEFAULT,
        accounting: { noteRecall: () => undefined, noteError: () => undefined },
        append: async () => undefined,
        whenStored: async () => undefined,
      },
    );
  }

  it("answers any line, and a search within its steps that goes on where it says", async () => {
    const last = await ask("999999-", null);
    expect(last.ok && last.text.endsWith(`complete\n\n${line}${line}`)).toBe(true);
    const searched = await ask("-999999", "(a|aa)+b");
    expect(steps).toBeLessThanOrEqual(SEARCH_STEPS_MAX);
    const state = /searched up to line (\d+), continue with range=(\d+)-999999\n\n$/.exec(
      searched.ok ? searched.text : "",
    );
    expect(Number(state?.[2])).toBe(Number(state?.[1]) + 1);
    expect(Number(state?.[1])).toBeGreaterThan(1_000);
  });
});

describe("hostile patterns on 50 MB", () => {
  const lines = `${"a".repeat(99)}\n`.repeat((50 * MEGABYTE) / 100);
  const line = "a".repeat(50 * MEGABYTE);

  it.each(["(a+)+$", "(a|aa)+b", "(.*a){25}x", "(a?){200}a{200}", "(((((((((.*)*)*)*)*)*)*)*)*)*c", "a"])(
    "%s stays within the steps of one answer",
    (source) => {
      for (const text of [lines, line]) {
        const compiled = counted(source);
        const [state] = answer({ text: textLines(text), pattern: { source, compiled } });
        expect(compiled.taken()).toBeLessThanOrEqual(SEARCH_STEPS_MAX);
        expect(state).toMatch(/continue with range=\d+-|line 1 not searched/);
      }
    },
  );

  it("millions of blank lines cost as well", () => {
    const search = searchPieces(textLines("\n".repeat(50 * MEGABYTE)), WHOLE, finder("hit", 1), SEARCH_STEPS_MAX);
    expect(Array.from(search.pieces)).toEqual([]);
    expect(search.seen).toBeLessThan(SEARCH_STEPS_MAX / 20);
    expect(search.stoppedAt).toBe(search.seen + 1);
  });
});
