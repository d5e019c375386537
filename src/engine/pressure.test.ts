import { describe, expect, it } from "vitest";
import type { WaitingItem } from "./batch.ts";
import { type PressureGround, pressedBatch } from "./pressure.ts";

const waiting: readonly WaitingItem[] = [40, 50, 90].map((index) => ({ index, freedTokens: 900, isStale: true }));

function ground(changes: Partial<PressureGround> = {}): PressureGround {
  return {
    promptTokens: 100_000,
    windowTokens: 110_000,
    heldCount: 100,
    lostBefore: () => 0,
    tokensBetween: (from, to) => Math.max(0, to - from) * 1_000,
    pricesOf: () => null,
    isLongLived: false,
    ...changes,
  };
}

describe("a window that is nearly full", () => {
  it("lets the smallest batch leave that brings it under nine tenths", () => {
    expect(pressedBatch(waiting, ground(), null)).toBe(50);
    expect(pressedBatch(waiting, ground({ windowTokens: 120_000 }), null)).toBeNull();
  });

  it("lets a batch leave that leaves room for the next requests, where one can", () => {
    const larger = waiting.map((one) => ({ ...one, freedTokens: 6_000 }));
    expect(pressedBatch(larger, ground(), null)).toBe(50);
    expect(pressedBatch(larger, ground({ lostBefore: (index) => (index < 90 ? 90_000 : 0) }), null)).toBe(90);
  });

  it("does without prices on record", () => {
    const prices = { input: 1, cacheWrite5m: 1.25, cacheWrite1h: 2, cacheRead: 0.1, output: 5 };
    expect(pressedBatch(waiting, ground({ pricesOf: () => prices }), null)).toBe(50);
  });

  it("counts from the size that is stated, and never where that is zero or no window is known", () => {
    expect(pressedBatch(waiting, ground({ windowTokens: null }), 99_500)).toBe(90);
    expect(pressedBatch(waiting, ground(), 0)).toBeNull();
    expect(pressedBatch(waiting, ground({ windowTokens: null }), null)).toBeNull();
  });

  it("keeps everything where nothing brings it under, or the client's compaction is cheaper", () => {
    expect(pressedBatch(waiting, ground({ promptTokens: 109_000 }), null)).toBeNull();
    expect(pressedBatch(waiting, ground({ promptTokens: 101_700 }), null)).toBe(40);
    expect(pressedBatch(waiting, ground({ promptTokens: 101_700, lostBefore: () => 9_000 }), null)).toBe(40);
    expect(pressedBatch(waiting, ground({ promptTokens: 101_700, lostBefore: () => 90_000 }), null)).toBeNull();
  });
});
