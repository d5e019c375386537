import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Proposal } from "../model/decision.ts";
import type { ResultItem } from "../model/item.ts";
import { cutsOf, type JudgedUse, leavingBy } from "./server-clear-cuts.ts";

type Sort = readonly [tool: string, state: JudgedUse["state"], saved: number];

const PROPOSAL: Proposal = {
  itemKey: "",
  policy: "lifetimes",
  reason: "expired",
  markerMode: "full",
  evidenceKey: null,
  allowsCold: true,
  isForced: false,
  wish: null,
  waitsForFree: false,
};

function itemAt(index: number): ResultItem {
  return {
    kind: "result",
    key: `r${index}`,
    role: "user",
    messageIndex: index,
    blockIndex: 0,
    digest: "",
    bytes: 1,
    lines: 1,
    callId: `c${index}`,
    isError: false,
    mediaCount: 0,
    isReplaceable: true,
  };
}

function usesOf(sorts: readonly Sort[]): readonly JudgedUse[] {
  return sorts.map(([tool, state, savedTokens], at): JudgedUse => {
    if (state === "stays") return { state, tool };
    const item = itemAt(at);
    if (state === "asked") return { state, tool, item };
    return { state, tool, item, proposal: PROPOSAL, index: 2 * at, savedTokens, isStale: at % 2 === 0 };
  });
}

const shown = (sorts: readonly Sort[], heldCount = 1_000) =>
  Array.from(cutsOf(usesOf(sorts), heldCount), ({ useCount, exceptTools }) => [useCount, ...exceptTools]);

describe("the ways to clear", () => {
  it("end behind each use that may leave", () => {
    expect(
      shown([
        ["Bash", "leaves", 5],
        ["Bash", "leaves", 5],
      ]),
    ).toEqual([[1], [2]]);
  });

  it("leave out a tool of which a result in front must stay, and not one that must stay behind", () => {
    const sorts: Sort[] = [
      ["Bash", "leaves", 5],
      ["Read", "stays", 0],
      ["Fetch", "leaves", 5],
      ["Bash", "stays", 0],
    ];
    expect(shown([...sorts, ["Fetch", "leaves", 5], ["Bash", "leaves", 5]])).toEqual([
      [1],
      [3, "Read"],
      [5, "Bash", "Read"],
    ]);
  });

  it("never put back what was asked for before", () => {
    expect(
      shown([
        ["Bash", "asked", 0],
        ["Bash", "leaves", 5],
        ["Bash", "stays", 0],
        ["Fetch", "leaves", 9],
      ]),
    ).toEqual([[2]]);
  });

  it("begin no earlier than where that ends", () => {
    expect(
      shown([
        ["Fetch", "leaves", 5],
        ["Bash", "asked", 0],
        ["Bash", "leaves", 5],
      ]),
    ).toEqual([[3]]);
  });
});

const sort = fc.tuple(
  fc.constantFrom("Bash", "Read", "Fetch"),
  fc.constantFrom<JudgedUse["state"]>("stays", "asked", "leaves", "leaves"),
  fc.nat(500),
);

/** What a provider clears that counts tool uses from the newest, oldest first, without excepted tools. */
function clearedBy(uses: readonly JudgedUse[], keepUses: number, exceptTools: readonly string[]): readonly JudgedUse[] {
  return uses.slice(0, uses.length - keepUses).filter(({ tool }) => !exceptTools.includes(tool));
}

it("has a provider clear exactly what leaves: nothing that must stay, all that was asked for before, and what it saves", () => {
  fc.assert(
    fc.property(fc.array(sort, { maxLength: 30 }), fc.nat(70), (sorts, heldCount) => {
      const uses = usesOf(sorts);
      const asked = uses.filter(({ state }) => state === "asked");
      for (const cut of cutsOf(uses, heldCount)) {
        const cleared = clearedBy(uses, uses.length - cut.useCount, cut.exceptTools);
        expect(leavingBy(uses, cut)).toEqual(cleared);
        expect(cleared.filter(({ state }) => state === "stays")).toEqual([]);
        expect(cleared).toEqual(expect.arrayContaining(asked.filter(({ tool }) => !cut.exceptTools.includes(tool))));
        expect(asked.every(({ tool }) => !cut.exceptTools.includes(tool))).toBe(true);
        const fresh = cleared.flatMap((use) => (use.state === "leaves" ? [use] : []));
        const { held, heldStale, rest, restStale } = cut.saved;
        expect(held + heldStale + rest + restStale).toBe(fresh.reduce((sum, use) => sum + use.savedTokens, 0));
        const inCache = fresh.filter(({ index }) => index < heldCount);
        expect(held + heldStale).toBe(inCache.reduce((sum, use) => sum + use.savedTokens, 0));
        expect(cut.start).toBe(Math.min(...fresh.map(({ index }) => index)));
      }
    }),
    { numRuns: 500 },
  );
});
