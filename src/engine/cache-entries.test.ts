import { describe, expect, it } from "vitest";
import type { CachePlace } from "../model/cache.ts";
import {
  type CacheEntries,
  LOOKBACK_BLOCKS,
  liveEntries,
  type MarkedRequest,
  mergedEntries,
  NO_ENTRIES,
  type ReadingRequest,
  reachOf,
  sharedEntries,
  uncounted,
  withMarkedRequest,
  withReportedUsage,
} from "./cache-entries.ts";

const MINUTE = 60_000;
const NAME = { model: "m", cacheKey: "k" };

const place = (itemCount: number, ttlMs = 5 * MINUTE): CachePlace => ({ itemCount, blockCount: itemCount, ttlMs });

interface Sent extends Partial<MarkedRequest> {
  readonly at: number;
  readonly upTo: readonly number[];
}

function leftBy(sent: readonly Sent[]): CacheEntries {
  return sent.reduce<CacheEntries>((entries, { at, upTo, ...rest }, index) => {
    const breakpoints = upTo.map((count) => place(count));
    const base = { requestId: `q${index}`, atMs: at * MINUTE, breakpoints, sameCount: 1_000 };
    const sent = { itemCount: upTo.at(-1) ?? 0, cacheTtlMs: 5 * MINUTE };
    return withMarkedRequest(entries, { ...NAME, ...base, ...sent, ...rest });
  }, NO_ENTRIES);
}

const OTHER = { model: "n", cacheKey: "k" };

function reading(breakpoints: readonly CachePlace[], minute: number): ReadingRequest {
  const marks = { places: breakpoints, blockCounts: Array.from({ length: 500 }, (_, count) => count) };
  return { cache: NAME, breakpoints: marks, atMs: minute * MINUTE, sameCount: 1_000 };
}

const countsAt = (entries: CacheEntries, minute: number, name = NAME) =>
  liveEntries(entries, name, minute * MINUTE).map(({ itemCount }) => itemCount);

describe("what requests left with the provider", () => {
  it("loses its counts, and nothing else, where something in it got another length", () => {
    const usage = { inputTokens: 0, cacheReadTokens: 500, cacheWriteTokens: 20, outputTokens: 1 };
    const told = withReportedUsage(leftBy([{ at: 0, upTo: [2, 6] }]), "q0", usage);
    const tokensOf = (entries: CacheEntries) => liveEntries(entries, NAME, 0).map(({ tokens }) => tokens);
    expect(tokensOf(told)).toEqual([null, 520]);
    expect(tokensOf(uncounted(told))).toEqual([null, null]);
    expect(countsAt(uncounted(told), 0)).toEqual([2, 6]);
  });

  it("lives from the last request that found it, by its own lifetime", () => {
    const entries = leftBy([
      { at: 0, upTo: [2] },
      { at: 4, upTo: [6] },
    ]);
    expect(countsAt(entries, 8.9)).toEqual([2, 6]);
    expect(countsAt(entries, 9)).toEqual([]);
    const later = leftBy([
      { at: 0, upTo: [2] },
      { at: 4, upTo: [6] },
      { at: 8, upTo: [9] },
    ]);
    expect(countsAt(later, 9)).toEqual([6, 9]);
  });

  it("lives no shorter because a clock went back", () => {
    const entries = leftBy([
      { at: 10, upTo: [5] },
      { at: 0, upTo: [5, 8] },
    ]);
    expect(countsAt(entries, 14)).toEqual([5, 8]);
    expect(reachOf(entries, reading([place(8)], 14))).toBe(8);
  });

  it("is found over twenty blocks and no more", () => {
    const found = (gap: number) => {
      const entries = leftBy([
        { at: 0, upTo: [5] },
        { at: 4, upTo: [5 + gap] },
      ]);
      return countsAt(entries, 6).includes(5);
    };
    expect([LOOKBACK_BLOCKS - 1, LOOKBACK_BLOCKS].map(found)).toEqual([true, false]);
  });

  it("ends where something in front of it changed, under every name", () => {
    const entries = leftBy([
      { at: 0, upTo: [3, 9] },
      { at: 0, upTo: [9], ...OTHER },
      { at: 1, upTo: [12], sameCount: 4 },
    ]);
    expect(countsAt(entries, 2)).toEqual([3, 12]);
    expect(countsAt(entries, 2, OTHER)).toEqual([]);
  });

  it("is as long as the response to the request that left it told", () => {
    const usage = { inputTokens: 7, cacheReadTokens: 90, cacheWriteTokens: 10, outputTokens: 1 };
    const entries = withReportedUsage(leftBy([{ at: 0, upTo: [3, 9] }]), "q0", usage);
    expect(liveEntries(entries, NAME, 0).map(({ tokens }) => tokens)).toEqual([null, 100]);
    const silent = { ...usage, cacheReadTokens: 0, cacheWriteTokens: 0 };
    for (const told of [null, silent]) expect(withReportedUsage(entries, "q0", told).named).toBe(entries.named);
    expect(withReportedUsage(entries, "unknown", usage)).toBe(entries);
  });

  it("is told only of the last breakpoint of a request", () => {
    const usage = { inputTokens: 7, cacheReadTokens: 90, cacheWriteTokens: 10, outputTokens: 1 };
    const tokensIn = (entries: CacheEntries) => liveEntries(entries, NAME, MINUTE).map(({ tokens }) => tokens);
    const again = leftBy([
      { at: 0, upTo: [9] },
      { at: 1, upTo: [4, 9] },
    ]);
    expect(tokensIn(withReportedUsage(again, "q1", usage))).toEqual([null, null]);
    const late = leftBy([
      { at: 0, upTo: [3, 9] },
      { at: 1, upTo: [12], sameCount: 4 },
    ]);
    expect(tokensIn(withReportedUsage(late, "q0", usage))).toEqual([null, null]);
  });

  it("passes to a fork as far as it is shared", () => {
    const entries = leftBy([
      { at: 0, upTo: [3] },
      { at: 1, upTo: [9] },
    ]);
    expect(countsAt(sharedEntries(entries, 8), 2)).toEqual([3]);
    expect(sharedEntries(entries, 2).named.size).toBe(0);
  });

  it("is read no further than a breakpoint finds an entry, with a minute's slack", () => {
    const entries = leftBy([
      { at: 0, upTo: [3] },
      { at: 1, upTo: [30] },
    ]);
    const reach = (count: number, minute: number) => reachOf(entries, reading([place(count)], minute));
    expect([2, 3, 22, 23, 30, 49, 50].map((count) => reach(count, 2))).toEqual([0, 3, 3, 0, 30, 30, 0]);
    expect([6.9, 7].map((minute) => reach(30, minute))).toEqual([30, 0]);
    expect(reachOf(entries, { ...reading([place(30)], 2), cache: OTHER })).toBe(0);
    expect(reachOf(entries, { ...reading([place(30)], 2), sameCount: 29 })).toBe(0);
  });

  it("is read only where the same blocks stand in front, and found where the request says so", () => {
    const forgetful: CachePlace = { itemCount: 6, blockCount: 5, ttlMs: 5 * MINUTE };
    const entries = leftBy([
      { at: 0, upTo: [4, 6] },
      { at: 1, upTo: [], breakpoints: [forgetful], found: [{ itemCount: 4, blockCount: 4 }] },
    ]);
    const reach = (blockCounts: readonly number[]) => {
      const marks = { places: [{ itemCount: 8, blockCount: 7, ttlMs: 5 * MINUTE }], blockCounts };
      return reachOf(entries, { ...reading([], 2), breakpoints: marks });
    };
    expect(reach([0, 1, 2, 3, 4, 4, 5, 6, 7])).toBe(6);
    expect(reach([0, 1, 2, 3, 4, 5, 6, 7, 8])).toBe(6);
    expect(reach([0, 1, 2, 3, 4, 4, 4, 5, 6])).toBe(4);
    expect(reach([0, 1, 1, 1, 2, 2, 2, 3, 4])).toBe(0);
    expect(countsAt(entries, 5.5)).toEqual([4, 6]);
    expect(countsAt(mergedEntries(entries, entries), 4)).toEqual([4, 6, 6]);
  });

  it("may reach as far as a request of which the breakpoints are not known, under any name", () => {
    const entries = leftBy([{ at: 0, upTo: [3], breakpoints: null, itemCount: 40 }]);
    expect(reachOf(entries, { ...reading([place(60)], 2), cache: OTHER })).toBe(40);
    expect(reachOf(entries, reading([], 7))).toBe(0);
  });

  it("is all that two histories left, each place for as long as the longer lives", () => {
    const merged = mergedEntries(leftBy([{ at: 0, upTo: [3] }]), leftBy([{ at: 2, upTo: [3, 9] }]));
    expect(countsAt(merged, 6)).toEqual([3, 9]);
  });

  it("stays bounded, and what is dropped stays known", () => {
    const entries = leftBy(Array.from({ length: 400 }, (_, index) => ({ at: 0, upTo: [index + 1] })));
    expect(reachOf(entries, reading([], 1))).toBeGreaterThan(100);
    const counts = countsAt(entries, 1);
    expect(counts.length).toBeLessThanOrEqual(256);
    expect(counts).toEqual(counts.toSorted((one, other) => one - other));
    const names = leftBy(Array.from({ length: 40 }, (_, index) => ({ at: 0, upTo: [1], model: `m${index}` })));
    expect(names.named.size).toBeLessThanOrEqual(8);
  });

  it("tells the length of the last prompt, cached or not, until something in it changes", () => {
    const usage = { inputTokens: 500, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
    const told = withReportedUsage(leftBy([{ at: 0, upTo: [3], itemCount: 4 }]), "q0", usage);
    expect(told.counted).toEqual({ itemCount: 4, tokens: 500 });
    const next = { ...NAME, requestId: "q1", atMs: 1, itemCount: 9, cacheTtlMs: 1, breakpoints: [place(9)] };
    expect(withMarkedRequest(told, { ...next, sameCount: 9 }).counted).toEqual({ itemCount: 4, tokens: 500 });
    expect(withMarkedRequest(told, { ...next, sameCount: 3 }).counted).toBeNull();
    expect(withReportedUsage(told, "other", { ...usage, inputTokens: 9 }).counted?.tokens).toBe(500);
    expect([3, 4].map((count) => sharedEntries(told, count).counted?.tokens)).toEqual([undefined, 500]);
  });
});
