import { describe, expect, it } from "vitest";
import { promptSizes } from "./prompt-sizes.ts";

const entry = (itemCount: number, tokens: number | null) => {
  return { itemCount, blockCount: itemCount, ttlMs: 1, usedAtMs: 0, requestId: "q", tokens };
};

describe("sizes of a prompt", () => {
  const ground = { headTokens: 100, itemTokens: [10, 20, 30] };

  it("are the estimates where no response told any", () => {
    const sizes = promptSizes({ ...ground, entries: [entry(2, null)] });
    expect([0, 1, 2, 3].map((count) => sizes.upTo(count))).toEqual([100, 110, 130, 160]);
    expect(sizes).toMatchObject({ total: 160, rate: 1 });
  });

  it("are fitted to the longest prefix that was counted", () => {
    const sizes = promptSizes({ ...ground, entries: [entry(1, 500), entry(2, 260)] });
    expect(sizes.upTo(2)).toBe(260);
    expect(sizes).toMatchObject({ total: 320, rate: 2 });
  });

  it("leave out what was counted of a longer prompt than this", () => {
    expect(promptSizes({ ...ground, entries: [entry(9, 5_000)] }).rate).toBe(1);
  });

  it("are fitted to a whole prompt that was counted, where nothing is cached", () => {
    expect(promptSizes({ ...ground, entries: [], counted: { itemCount: 3, tokens: 320 } }).rate).toBe(2);
  });
});
