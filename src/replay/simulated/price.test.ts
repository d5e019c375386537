import { describe, expect, it } from "vitest";
import { costAt, costUsd } from "./price.ts";

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

  it("takes the prices of the whole prompt's length and of its time", () => {
    const dear = { ...prices, input: 20, cacheRead: 1 };
    const later = { ...prices, input: 1 };
    const facts = {
      prices: [
        { fromMs: 0, promptTokensOver: 0, prices },
        { fromMs: 0, promptTokensOver: 100, prices: dear },
        { fromMs: 50, promptTokensOver: 0, prices: later },
      ],
    };
    const short = { ...none, inputTokens: 10, cacheReadTokens: 80, cacheWrite1hTokens: 10 };
    expect(costAt(short, facts, 49)).toBe(costUsd(short, prices));
    const long = { ...short, cacheReadTokens: 81 };
    expect(costAt(long, facts, 49)).toBe(costUsd(long, dear));
    expect(costAt(long, facts, 50)).toBe(costUsd(long, later));
    expect(costAt(long, { prices: [] }, 50)).toBeNull();
  });

  it("is nothing for nothing, and unknown without prices", () => {
    expect(costUsd(none, prices)).toBe(0);
    expect(costUsd({ ...none, inputTokens: 5 }, null)).toBeNull();
  });
});
