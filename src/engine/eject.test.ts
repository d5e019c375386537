import { describe, expect, it } from "vitest";
import type { Aside } from "../model/aside.ts";
import type { LedgerEntry, LedgerRecord } from "../model/ledger.ts";
import { anthropicProvider } from "../providers/anthropic.ts";
import { acquired, decisionOn, itemOf, opened, originalOf, requestSent } from "../testing/test-store-samples.ts";
import { leavingOf } from "./eject.ts";

type Sent = Extract<LedgerEntry, { type: "request-sent" }>;

const ITEM = itemOf("call-1", originalOf("x".repeat(8_000)));
const RELEASE: LedgerEntry = { type: "item-released", decision: decisionOn(ITEM) };

/** A request of so many items, and its answer over so many tokens. */
function asked(
  name: string,
  itemCount: number,
  promptTokens: number,
  more: Partial<Sent> = {},
): readonly LedgerEntry[] {
  const sent = { ...requestSent(name), itemCount, step: itemCount, ...more } as Sent;
  const usage = { inputTokens: promptTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 10 };
  const answer = { requestId: name, status: 200, usage, errorType: null, calls: [] };
  return [sent, { type: "response-seen", ...answer }];
}

function recorded(...entries: readonly LedgerEntry[]): readonly LedgerRecord[] {
  return entries.map((entry, index) => ({ seq: index + 1, atMs: 1_000, entry }));
}

function leaving(...ledgers: readonly (readonly LedgerRecord[])[]) {
  return leavingOf({
    ledgers,
    asideBytes: 0,
    atMs: 1_000,
    modelFacts: (_, model) => anthropicProvider.modelFacts(model),
  });
}

function aside(attempt: string): LedgerEntry {
  const one: Aside = { anchor: "here", attempt, place: "round", seen: [], seenStart: 0, calls: [], digest: "d" };
  return { type: "aside-pinned", aside: one };
}

const NOTE: LedgerEntry = { type: "note-pinned", note: { anchorKey: "k", text: "note" } } as LedgerEntry;

describe("what a ledger tells of leaving", () => {
  it("has the last attempt at a message alone, and thinking that came behind it is signed over it", () => {
    const before = [opened("s"), ...asked("a", 4, 1_000)];
    const round = [aside("first"), aside("second"), ...asked("b", 8, 1_500)];
    const seen = leaving(recorded(...before, ...round));
    expect(seen.changes).toMatchObject([
      { what: "recalled inside the stream", request: 1, carriedBy: 1, tokensBefore: 1_000 },
    ]);
    expect(seen.thinking).toBe("may be refused");
    const later = (thoughtCount: number) =>
      leaving(recorded(...before, ...round, ...asked("c", 12, 1_900, { thoughtCount })));
    expect(later(8).thinking).toBe("may be refused");
    expect(later(9).thinking).toBe("refused");
  });

  it("has a tool that Ebb offered in front of everything, and notes where they were pinned", () => {
    const offer: LedgerEntry = { type: "tools-offered", json: "{}", names: ["ebb_recall"], moment: "first-send" };
    const told = leaving(
      recorded(opened("s"), offer, ...asked("a", 4, 1_000), NOTE, ...asked("b", 8, 1_500, { thoughtCount: 5 })),
    );
    expect(told.changes.map(({ what, request, carriedBy }) => [what, request, carriedBy])).toEqual([
      ["tools", 0, 0],
      ["note", 1, 1],
    ]);
    expect(told).toMatchObject({ thinking: "refused", headTokens: null });
  });

  it("leaves out what earlier histories did behind the place where this one left them", () => {
    const parent = recorded(
      opened("s"),
      ...asked("a", 4, 1_000),
      acquired(ITEM),
      RELEASE,
      aside("other"),
      ...asked("b", 8, 2_000),
    );
    const open = { ...opened("fork"), parent: { lineage: "s", itemCount: 4 } } as LedgerEntry;
    expect(leaving(parent, recorded(open, ...asked("c", 6, 1_200))).changes).toEqual([]);
    expect(
      leaving(parent)
        .changes.map(({ what }) => what)
        .toSorted(),
    ).toEqual(["recalled inside the stream", "released"]);
  });

  it("has what it took over since the first request of its own", () => {
    const parent = recorded(opened("s"), acquired(ITEM), RELEASE, ...asked("a", 4, 1_000), ...asked("b", 8, 2_000));
    const fork = { ...opened("fork", [decisionOn(ITEM)]), parent: { lineage: "s", itemCount: 4 } } as LedgerEntry;
    const told = leaving(parent, recorded(fork, acquired(ITEM), ...asked("c", 6, 1_200, { thoughtCount: 5 })));
    expect(told.changes).toMatchObject([{ what: "released", request: 0, carriedBy: 0 }]);
    expect(told.thinking).toBe("refused");
  });

  it("has thinking that was left out, which the client still holds", () => {
    const strip: LedgerEntry = { type: "thinking-stripped", itemKeys: ["thinking:1"], turn: 2, step: 3 };
    const asks = [...asked("a", 4, 1_000, { thoughtCount: 2 }), strip, ...asked("b", 8, 1_500, { thoughtCount: 2 })];
    const told = leaving(recorded(opened("s"), ...asks));
    expect(told.changes).toMatchObject([{ what: "thinking left out", request: 0, carriedBy: 1 }]);
    expect(told.thinking).toBe("may be refused");
  });

  it("takes what the provider itself was asked to clear for nothing that thinking is signed over", () => {
    const decision = { ...decisionOn(ITEM), moment: "server-clear", originalTokens: 2_000 } as const;
    const entries = [acquired(ITEM), { type: "item-released", decision } as const, ...asked("a", 4, 1_000)];
    const told = leaving(recorded(opened("s"), ...entries, ...asked("b", 8, 1_200, { thoughtCount: 7 })));
    expect(told.changes).toHaveLength(1);
    expect(told.thinking).toBe("fits");
    expect(told.tokensWithout).toBeGreaterThan((told.tokensWith ?? 0) + 1_500);
  });
});
