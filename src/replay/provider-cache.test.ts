import { describe, expect, test } from "vitest";
import type { CacheRules } from "../model/cache.ts";
import { anthropicProvider } from "../providers/anthropic.ts";
import { serveUnder } from "./provider-cache.ts";
import { emptyCache } from "./simulated/cache.ts";
import type { Prompt } from "./simulated/prompt.ts";

const FACTS = { ...anthropicProvider.modelFacts("claude-sonnet-4-5-20250929"), cacheTokensMin: 0, ttlDefaultMs: 1_000 };
const BREAKPOINTS: CacheRules = { kind: "breakpoints", breakpointsMax: 4, lookbackBlocks: 20, ttlsMs: [1_000] };

/** A prompt of one block a letter, each of a hundred tokens; the last one carries a breakpoint. */
function prompt(letters: string): Prompt {
  const positions = Array.from(letters, (_, index) => ({
    key: letters.slice(0, index + 1),
    tokens: 100 * (index + 1),
    lifetimeMs: index === letters.length - 1 ? 300_000 : null,
  }));
  const tokens = 100 * letters.length;
  return { positions, tokens, deletedTokens: 0, originalTokens: tokens, clearings: [] };
}

/** Tokens each prompt read, sent at these times. */
function reads(cache: CacheRules, ...sent: readonly (readonly [string, number])[]): readonly number[] {
  let held = emptyCache;
  return sent.map(([letters, atMs]) => {
    const served = serveUnder({ ...FACTS, cache }, held, prompt(letters), atMs);
    held = served.cache;
    return served.bill.cacheReadTokens;
  });
}

describe("a cache under the rules of a model", () => {
  test("keeps a breakpoint's entry as long as the model does, whatever the request asks for", () => {
    expect(reads(BREAKPOINTS, ["abc", 0], ["abcd", 999], ["abcde", 1_999])).toEqual([0, 300, 0]);
    expect(reads({ ...BREAKPOINTS, ttlsMs: [1_000, 300_000] }, ["abc", 0], ["abcd", 299_999])).toEqual([0, 300]);
  });

  test("looks back as far as the model does", () => {
    const sent = [
      ["ab", 0],
      ["abcde", 1],
    ] as const;
    expect(reads({ ...BREAKPOINTS, lookbackBlocks: 3 }, ...sent)).toEqual([0, 0]);
    expect(reads({ ...BREAKPOINTS, lookbackBlocks: 4 }, ...sent)).toEqual([0, 200]);
  });

  test("by itself reads whole steps of what an earlier request began with, wherever they part", () => {
    const steps = (stepTokens: number) => reads({ kind: "prefix", stepTokens }, ["abcdef", 0], ["abcdxy", 1]);
    expect(steps(1)).toEqual([0, 400]);
    expect(steps(150)).toEqual([0, 300]);
    expect(reads({ kind: "prefix", stepTokens: 1 }, ["abc", 0], ["abcd", 999], ["abcd", 2_000])).toEqual([0, 300, 0]);
  });

  test("in whole units reads an earlier request or nothing", () => {
    expect(reads({ kind: "units" }, ["abcd", 0], ["abcdef", 1], ["abcx", 2], ["abcdeg", 3])).toEqual([0, 400, 0, 400]);
  });

  test("is none where the model has none", () => {
    expect(reads({ kind: "none" }, ["abc", 0], ["abcd", 1])).toEqual([0, 0]);
    const { bill } = serveUnder({ ...FACTS, cache: { kind: "none" } }, emptyCache, prompt("abc"), 0);
    expect(bill).toEqual({ inputTokens: 300, cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 });
  });

  test("holds nothing below the model's minimum", () => {
    const served = (cache: CacheRules) => {
      const facts = { ...FACTS, cache, cacheTokensMin: 301 };
      const first = serveUnder(facts, emptyCache, prompt("abc"), 0);
      return serveUnder(facts, first.cache, prompt("abcd"), 1).bill.cacheReadTokens;
    };
    expect([served(BREAKPOINTS), served({ kind: "prefix", stepTokens: 1 }), served({ kind: "units" })]).toEqual([
      0, 0, 0,
    ]);
  });
});
