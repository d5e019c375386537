import fc from "fast-check";
import { describe, it } from "vitest";
import { type AutomaticServing, type PromptPart, servePrompt, tokensOfParts } from "./automatic-cache.ts";
import type { PromptCache } from "./cache.ts";
import { promptTokensOf } from "./price.ts";
import { byteCounter } from "./prompt.ts";

const LIFETIME_MS = 1_000;
const STEP_TOKENS = 16;
const TOKENS_MIN = 64;

const part: fc.Arbitrary<PromptPart> = fc.record({
  text: fc.oneof(fc.string({ maxLength: 40, unit: "grapheme" }), fc.constantFrom("a".repeat(700), "b".repeat(1_500))),
  isMedia: fc.boolean(),
  isMarked: fc.boolean(),
  isInput: fc.boolean(),
});
const parts = fc.array(part, { minLength: 1, maxLength: 8 });
const kind = fc.constantFrom("prefix", "units", "breakpoints", "none");

function serving(of: string, atMs = 0): AutomaticServing {
  const cache: AutomaticServing["facts"]["cache"] =
    of === "prefix"
      ? { kind: "prefix", stepTokens: STEP_TOKENS }
      : of === "breakpoints"
        ? { kind: "breakpoints", breakpointsMax: 4, lookbackBlocks: 1_000, ttlsMs: [LIFETIME_MS] }
        : { kind: of === "units" ? "units" : "none" };
  const facts = { cache, cacheTokensMin: TOKENS_MIN };
  return { facts, counter: byteCounter, atMs, lifetimeMs: LIFETIME_MS, seed: "model", isImplicit: true };
}

const empty: PromptCache = new Map();

describe("whatever a prompt is made of", () => {
  it("what it reads, writes and pays in full adds up to the whole of it", () => {
    fc.assert(
      fc.property(kind, fc.array(parts, { minLength: 1, maxLength: 4 }), (of, prompts) => {
        let cache = empty;
        return prompts.every((prompt, index) => {
          const served = servePrompt(cache, prompt, serving(of, index));
          cache = served.cache;
          const { inputTokens, cacheReadTokens, cacheWrite5mTokens } = served.bill;
          const isSound = Math.min(inputTokens, cacheReadTokens, cacheWrite5mTokens) >= 0;
          return isSound && promptTokensOf(served.bill) === tokensOfParts(prompt, byteCounter);
        });
      }),
    );
  });

  it("a prompt reads no more than it shares with the one before it, in whole steps", () => {
    fc.assert(
      fc.property(parts, parts, fc.nat({ max: 8 }), (first, second, shared) => {
        const next = [...first.slice(0, shared), ...second];
        const { cache } = servePrompt(empty, first, serving("prefix"));
        const read = servePrompt(cache, next, serving("prefix", 1)).bill.cacheReadTokens;
        const isSame = (one: PromptPart, other: PromptPart | undefined) =>
          one.text === other?.text && one.isMedia === other.isMedia;
        const same = next.findIndex((one, index) => !isSame(one, first[index]));
        const upTo = same === -1 ? next : next.slice(0, same + 1);
        return (
          read % STEP_TOKENS === 0 && read <= tokensOfParts(upTo, byteCounter) && (read === 0 || read >= TOKENS_MIN)
        );
      }),
    );
  });

  it("a prompt that grew by some parts reads the one before it to its last whole step", () => {
    fc.assert(
      fc.property(parts, parts, (first, more) => {
        const { cache, tokens } = servePrompt(empty, first, serving("prefix"));
        const read = servePrompt(cache, [...first, ...more], serving("prefix", 1)).bill.cacheReadTokens;
        const whole = tokens - (tokens % STEP_TOKENS);
        return whole < TOKENS_MIN || read >= whole;
      }),
    );
  });

  it("nothing is read once the lifetime is over", () => {
    fc.assert(
      fc.property(kind, parts, (of, prompt) => {
        const { cache } = servePrompt(empty, prompt, serving(of));
        return servePrompt(cache, prompt, serving(of, LIFETIME_MS)).bill.cacheReadTokens === 0;
      }),
    );
  });
});
