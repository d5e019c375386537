import { describe, expect, it } from "vitest";
import { createRateLimitCounts } from "./rate-limits.ts";

const tokens = (limit: string, remaining: string) => [
  "Anthropic-RateLimit-Tokens-Limit",
  limit,
  "anthropic-ratelimit-tokens-remaining",
  remaining,
];

describe("rate limits", () => {
  it("are shares of what a provider allows: the first, the latest and the highest", () => {
    const counts = createRateLimitCounts();
    expect(counts.shares()).toEqual({});
    counts.note(["content-type", "text/plain", ...tokens("1000", "250"), "anthropic-ratelimit-tokens-reset", "soon"]);
    counts.note([...tokens("1000", "900"), "anthropic-ratelimit-unified-5h-utilization", "0.42"]);
    expect(counts.shares()).toEqual({
      tokens: { first: 0.75, last: expect.closeTo(0.1), highest: 0.75 },
      "unified-5h": { first: 0.42, last: 0.42, highest: 0.42 },
    });
  });

  it("are told by no header that lacks its half, is no number, or allows nothing", () => {
    const counts = createRateLimitCounts();
    counts.note(["anthropic-ratelimit-requests-limit", "50"]);
    counts.note(tokens("many", "250"));
    counts.note(tokens("0", "0"));
    counts.note(["anthropic-ratelimit-tokens-limit"]);
    expect(counts.shares()).toEqual({});
  });

  it("are between nothing and all, and of so many names at most", () => {
    const counts = createRateLimitCounts();
    counts.note(tokens("10", "20"));
    expect(counts.shares()).toEqual({ tokens: { first: 0, last: 0, highest: 0 } });
    for (let index = 0; index < 100; index++) counts.note([`anthropic-ratelimit-x${index}-utilization`, "0.5"]);
    expect(Object.keys(counts.shares())).toHaveLength(32);
  });
});
