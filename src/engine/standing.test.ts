import { afterEach, describe, expect, it, vi } from "vitest";
import type { Decision } from "../model/decision.ts";
import type { ItemRecord, LedgerEntry, LedgerRecord } from "../model/ledger.ts";
import { EMPTY_STANDING, foldLedger, standingOf } from "./standing.ts";

function records(entries: readonly LedgerEntry[], seq = 0, atMs = 1_000): readonly LedgerRecord[] {
  return entries.map((entry, index) => ({ seq: seq + index + 1, atMs, entry }));
}

function acquired(key: string, path: string | null, lineStart: number | null): LedgerEntry {
  const label = { tool: "Read", path, lineStart, lineEnd: lineStart, command: null };
  const item = { key, address: key, kind: "result", callId: key, digest: key, bytes: 1, lines: 1, mediaType: null };
  const record: ItemRecord = {
    ...item,
    kind: "result",
    label,
    isError: false,
    absolutePath: path,
    isStored: true,
    step: 1,
    turn: 1,
  };
  return { type: "item-acquired", item: record };
}

function decision(itemKey: string, marker = "m"): Decision {
  return {
    itemKey,
    address: itemKey,
    policy: "p",
    reason: "stale",
    evidenceKey: null,
    wish: null,
    moment: "cold",
    thinkingBehind: null,
    step: 1,
    turn: 1,
    templateVersion: 1,
    channel: { kind: "none" },
    marker,
    originalDigest: "d",
    originalBytes: 10,
    originalTokens: 10,
    markerTokens: 1,
  };
}

function sent(cacheTtlMs: number | null, itemCount = 3): LedgerEntry {
  return {
    type: "request-sent",
    requestId: "r",
    model: "m",
    cacheKey: "k",
    cacheTtlMs,
    itemCount,
    turn: 2,
    step: 5,
    isBound: false,
    isActing: true,
  };
}

function opened(parent: { readonly lineage: string; readonly itemCount: number } | null): LedgerEntry {
  return {
    type: "lineage-opened",
    sessionId: "s",
    agentId: "a",
    parent,
    inherited: [decision("old")],
    turnsBefore: 4,
    stepsBefore: 9,
    warmUntilMs: 77,
  };
}

describe("a standing", () => {
  it("takes over what a lineage was opened with", () => {
    const standing = foldLedger(EMPTY_STANDING, records([opened({ lineage: "p", itemCount: 6 })]));
    expect(standing).toMatchObject({
      seq: 1,
      sessionId: "s",
      agentId: "a",
      parent: "p",
      itemCount: 6,
      warmUntilMs: 77,
      turnsBefore: 4,
      stepsBefore: 9,
    });
    expect(standingOf(standing, "old").state).toBe("released");
    expect(standingOf(standing, "other")).toEqual({ state: "held" });
  });

  it("knows what was acquired, released and sent, the last decision of an item counting", () => {
    const entries: LedgerEntry[] = [
      acquired("a", "/f", 1),
      { type: "item-released", decision: decision("a", "one") },
      { type: "item-released", decision: decision("a", "two") },
      sent(300, 8),
    ];
    const standing = foldLedger(EMPTY_STANDING, records(entries));
    expect(standing).toMatchObject({ seq: 4, itemCount: 8, clock: { turn: 2, step: 5 }, warmUntilMs: 1_300 });
    expect([...standing.acquired.keys()]).toEqual(["a"]);
    expect(standingOf(standing, "a")).toMatchObject({ state: "released", decision: { marker: "two" } });
  });

  it("is warm until the latest end of a lifetime, and for good after a request that states none", () => {
    const hour = foldLedger(EMPTY_STANDING, records([sent(3_600_000)]));
    const minutes = foldLedger(hour, records([sent(300_000)], 1, 2_000));
    expect(minutes.warmUntilMs).toBe(3_601_000);
    expect(foldLedger(minutes, records([sent(null)], 2, 3_000)).warmUntilMs).toBeNull();
  });

  it("lists numbered reads by path, oldest first, and ends them where the path was used otherwise", () => {
    const first = foldLedger(EMPTY_STANDING, records([acquired("a", "/f", 1), acquired("b", "/f", 9)]));
    const second = foldLedger(first, records([acquired("c", "/f", 1), acquired("x", null, null)], 2));
    expect(second.readsByPath.get("/f")?.map((item) => item.key)).toEqual(["a", "b", "c"]);
    const edited = foldLedger(second, records([acquired("e", "/f", null), acquired("d", "/f", 1)], 4));
    expect(edited.readsByPath.get("/f")?.map((item) => item.key)).toEqual(["d"]);
    const again = foldLedger(edited, records([acquired("g", "/f", 1), acquired("h", "/f", null)], 6));
    expect(again.readsByPath.get("/f")).toEqual([]);
  });

  it("never changes the one it continues, and copies nothing it does not add to", () => {
    const start = foldLedger(EMPTY_STANDING, records([acquired("a", "/f", 1)]));
    const next = foldLedger(
      start,
      records([acquired("b", "/f", 2), { type: "item-released", decision: decision("a") }]),
    );
    expect([...start.acquired.keys()]).toEqual(["a"]);
    expect(start.decisions.size).toBe(0);
    expect(start.readsByPath.get("/f")).toHaveLength(1);
    const seen = foldLedger(
      next,
      records([{ type: "response-seen", requestId: "r", status: 200, usage: null, errorType: null, calls: [] }], 3),
    );
    expect(seen.acquired).toBe(next.acquired);
    expect(seen.decisions).toBe(next.decisions);
    expect(seen.readsByPath).toBe(next.readsByPath);
    expect(EMPTY_STANDING.acquired.size).toBe(0);
  });
});

describe("a long ledger", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("is folded with one copy of what was known, however many records add to it", () => {
    let copied = 0;
    class CountingMap<Key, Value> extends Map<Key, Value> {
      constructor(from?: Iterable<readonly [Key, Value]> | null) {
        super(from);
        copied += this.size;
      }
    }
    const motive = { reason: "r", by: "agent" } as const;
    const keys = Array.from({ length: 200 }, (_, index) => `k${index}`);
    const entries = keys.flatMap((itemKey): readonly LedgerEntry[] => [
      { type: "item-wished", wish: { itemKey, address: itemKey, wish: { kind: "release" }, ...motive } },
      { type: "item-held", held: { itemKey, address: itemKey, until: { kind: "forever" }, ...motive } },
      { type: "item-protected", held: { itemKey, address: itemKey, until: { kind: "forever" }, ...motive } },
      { type: "marker-echoed", itemKey, address: itemKey },
    ]);
    const half = foldLedger(EMPTY_STANDING, records(entries.slice(0, 400)));
    vi.stubGlobal("Map", CountingMap);
    const { deliberate, echoes } = foldLedger(half, records(entries.slice(400), half.seq));
    expect(copied).toBe(400);
    const sizes = [deliberate.wishes, deliberate.spans, deliberate.protections, echoes].map(({ size }) => size);
    expect(sizes).toEqual([200, 200, 200, 200]);
  });
});
