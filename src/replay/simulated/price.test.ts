import { describe, expect, it } from "vitest";
import { costUsd } from "./price.ts";

const prices = { input: 4, cacheWrite5m: 5, cacheWrite1h: 8, cacheRead: 0.2, output: 20 };
const none = { inputTokens: 0, cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0, outputTokens: 0 };

describe("the price of a usage", () => {
  it.each([
    ["inputTokens", 4],
    ["cacheReadTokens", 0.2],
    ["cacheWrite5mTokens", 5],
    ["cacheWrite1hTokens", 8],
    ["outputTokens", 20],
  ])("charges %s per million", (field, dollars) => {
    expect(costUsd({ ...none, [field]: 1_000_000 }, prices)).toBeCloseTo(dollars, 12);
  });

  it("is nothing for nothing, and unknown without prices", () => {
    expect(costUsd(none, prices)).toBe(0);
    expect(costUsd({ ...none, inputTokens: 5 }, null)).toBeNull();
  });
});
