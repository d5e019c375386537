import { describe, expect, it } from "vitest";
import { wordsOf } from "./analysis-words.ts";
import { addWould } from "./figures.ts";
import type { Amount, ReadsAnalysis, WouldDo } from "./session-analysis.ts";

const none: Amount = { count: 0, bytes: 0, tokens: 0 };

function figures(counts: { stale?: number; fresh?: number; edits?: number; over?: number }) {
  const amount = (count = 0): Amount => ({ count, bytes: count * 4_000, tokens: count * 1_000 });
  const reads: ReadsAnalysis = {
    stale: { ...amount(counts.stale), share: null },
    superseded: { ...none, share: null },
    fresh: { ...amount(counts.fresh), share: null },
    images: { count: 0, bytes: 0 },
    failed: 0,
    unanswered: 0,
  };
  return { reads, edits: counts.edits ?? 0, over_bound: amount(counts.over) };
}

const released: WouldDo = {
  released: [
    { reason: "stale", moment: "cold", count: 2, tokens: 2_000 },
    { reason: "over_bound", moment: "first-send", count: 1, tokens: 70_000 },
  ],
  declined: [],
};

describe("the sentence on a session", () => {
  it("says why nothing is to be done, each reason in its own words", () => {
    expect(wordsOf(figures({}), null)).toBe("No file reads and nothing over the bound: nothing here for Ebb to do.");
    expect(wordsOf(figures({ fresh: 3 }), null)).toBe("Read-only investigation: nothing here is stale.");
    expect(wordsOf(figures({ fresh: 3, edits: 1 }), null)).toContain("Nothing that was read changed");
  });

  it("names candidates and claims no release when nobody replayed the session", () => {
    expect(wordsOf(figures({ stale: 2, over: 1 }), null)).toBe(
      "Could leave: 2 stale reads (about 2,000 tokens), 1 result over the bound (about 1,000 tokens).",
    );
  });

  it("says what left, why and at which moment", () => {
    expect(wordsOf(figures({ stale: 2, over: 1 }), released)).toBe(
      "Ebb would release 3 results (about 72,000 tokens): 2 stale on a cold cache, 1 over the bound at first send.",
    );
  });

  it("says in words why the rest stayed, the most first, and counts no release and no request as held", () => {
    const declined: WouldDo["declined"] = [
      { reason: "no_file_reads", items: 9 },
      { reason: "path_active", items: 2 },
      { reason: "fresh_read", items: 3 },
      { reason: "already_marked", items: 8 },
      { reason: "bound_thinking", items: 0 },
    ];
    expect(wordsOf(figures({ stale: 2 }), { ...released, declined })).toMatch(
      / Held in at least one request: 3 counted as fresh, 2 of files in use a few steps before\.$/,
    );
    const marked: WouldDo["declined"] = [{ reason: "already_marked", items: 8 }];
    expect(wordsOf(figures({ stale: 2 }), { released: [], declined: marked })).toMatch(/ Ebb would release nothing\.$/);
  });
});

describe("what Ebb would do in several sessions", () => {
  it("adds the same reason at the same moment and each decline", () => {
    const other: WouldDo = {
      released: [{ reason: "stale", moment: "cold", count: 1, tokens: 10 }],
      declined: [{ reason: "cached_prefix", items: 4 }],
    };
    expect(addWould([released, other, other])).toEqual({
      released: [
        { reason: "stale", moment: "cold", count: 4, tokens: 2_020 },
        { reason: "over_bound", moment: "first-send", count: 1, tokens: 70_000 },
      ],
      declined: [{ reason: "cached_prefix", items: 8 }],
    });
  });

  it("is unknown as soon as one session was not replayed", () => {
    expect(addWould([released, null])).toBeNull();
  });
});
