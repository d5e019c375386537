import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import { emptyCache, LOOKBACK_POSITIONS, type PromptCache, serve } from "./cache.ts";
import { byteCounter, promptOf } from "./prompt.ts";

const traits = { allowsSystemMessages: true, keepsThinking: true };
const rules = { traits, counter: byteCounter, isDropped: () => false };

const anyText = fc.string({ minLength: 1, maxLength: 400 });
const anyControl = fc.constantFrom(null, "5m", "1h");

/** Messages of text, each block with or without a breakpoint. */
const anyMessages = fc.array(fc.array(fc.record({ text: anyText, ttl: anyControl }), { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 8,
});

type Blocks = readonly { readonly text: string; readonly ttl: string | null }[];

function requestOf(turns: readonly Blocks[]): JsonObject {
  const messages = turns.map((blocks, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: blocks.map(({ text, ttl }) => ({
      type: "text",
      text,
      ...(ttl === null ? {} : { cache_control: { type: "ephemeral", ttl } }),
    })),
  }));
  return { model: "m", messages };
}

const unmarked = (turns: readonly Blocks[]): Blocks[] =>
  turns.map((blocks) => blocks.map(({ text }) => ({ text, ttl: null })));
const markedAtEnd = (turns: readonly Blocks[]): Blocks[] =>
  unmarked(turns).map((blocks, turn) =>
    blocks.map((block, index) =>
      turn === turns.length - 1 && index === blocks.length - 1 ? { ...block, ttl: "5m" } : block,
    ),
  );

describe("laws of the prompt cache", () => {
  it("the three kinds of input always add up to the whole prompt", () => {
    fc.assert(
      fc.property(fc.array(anyMessages, { minLength: 1, maxLength: 5 }), fc.nat(700_000), (histories, stepMs) => {
        let cache: PromptCache = emptyCache;
        for (const [index, turns] of histories.entries()) {
          const prompt = promptOf(requestOf(turns), rules);
          const served = serve(cache, prompt, { atMs: index * stepMs, tokensMin: 20 });
          cache = served.cache;
          const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = served.bill;
          expect(inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens).toBe(prompt.tokens);
          expect(Math.min(inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens)).toBeGreaterThanOrEqual(
            0,
          );
        }
      }),
    );
  });

  it("a pure append with the breakpoint on its end reads at least what the request before it read and wrote", () => {
    fc.assert(
      fc.property(anyMessages, fc.array(anyMessages, { maxLength: 4 }), (start, additions) => {
        let cache: PromptCache = emptyCache;
        let turns: Blocks[] = start;
        let known = 0;
        for (const [index, added] of [[], ...additions].entries()) {
          const addition = added.slice(0, 4);
          fc.pre(addition.flat().length < LOOKBACK_POSITIONS);
          turns = [...turns, ...addition];
          const prompt = promptOf(requestOf(markedAtEnd(turns)), rules);
          const { bill, cache: next } = serve(cache, prompt, { atMs: index * 299_999, tokensMin: 1 });
          cache = next;
          expect(bill.cacheReadTokens).toBeGreaterThanOrEqual(known);
          known = bill.cacheReadTokens + bill.cacheWrite5mTokens;
        }
      }),
    );
  });

  it("never reads a prefix that no earlier request sent", () => {
    fc.assert(
      fc.property(anyMessages, anyMessages, (before, after) => {
        const first = promptOf(requestOf(before), rules);
        const second = promptOf(requestOf(after), rules);
        const { cache } = serve(emptyCache, first, { atMs: 0, tokensMin: 1 });
        const { bill } = serve(cache, second, { atMs: 1, tokensMin: 1 });
        const shared = second.positions.filter((position, index) => first.positions[index]?.key === position.key);
        expect(bill.cacheReadTokens).toBeLessThanOrEqual(shared.at(-1)?.tokens ?? 0);
      }),
    );
  });

  it("is the same for the same requests and times", () => {
    fc.assert(
      fc.property(anyMessages, (turns) => {
        const prompt = promptOf(requestOf(turns), rules);
        const when = { atMs: 5, tokensMin: 10 };
        expect(serve(emptyCache, prompt, when)).toEqual(serve(emptyCache, promptOf(requestOf(turns), rules), when));
      }),
    );
  });
});
