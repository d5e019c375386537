import { describe, expect, it } from "vitest";
import { type AutomaticServing, type PromptPart, servePrompt } from "./automatic-cache.ts";
import { byteCounter } from "./prompt.ts";

const LIFETIME_MS = 1_000;
const text = (letter: string, tokens: number, more: Partial<PromptPart> = {}): PromptPart => {
  return { text: letter.repeat(tokens * 4), isMedia: false, isMarked: false, isInput: true, ...more };
};
const serving = (
  cache: AutomaticServing["facts"]["cache"],
  more: Partial<AutomaticServing> = {},
): AutomaticServing => ({
  facts: { cache, cacheTokensMin: 1_024 },
  counter: byteCounter,
  atMs: 0,
  lifetimeMs: LIFETIME_MS,
  seed: "model",
  isImplicit: true,
  ...more,
});
const PREFIX = { kind: "prefix", stepTokens: 128 } as const;
const MARKED = { kind: "breakpoints", breakpointsMax: 4, lookbackBlocks: 1_000, ttlsMs: [LIFETIME_MS] } as const;

describe("an automatic prefix cache", () => {
  const first = [text("a", 1_000), text("b", 200)];
  const { cache } = servePrompt(new Map(), first, serving(PREFIX));

  it("reads what stood before in steps, once it is long enough", () => {
    const read = (parts: readonly PromptPart[]) => servePrompt(cache, parts, serving(PREFIX)).bill.cacheReadTokens;
    expect(read([...first, text("c", 10)])).toBe(1_152);
    expect(read([text("a", 1_000), text("c", 200)])).toBe(0);
    expect(read([text("a", 1_100)])).toBe(0);
    expect(read([text("A", 1_000), text("b", 200)])).toBe(0);
  });

  it("keeps models apart", () => {
    expect(servePrompt(cache, first, serving(PREFIX, { seed: "other" })).bill.cacheReadTokens).toBe(0);
  });

  it("lives from its last use", () => {
    const later = servePrompt(cache, first, serving(PREFIX, { atMs: LIFETIME_MS - 1 }));
    expect(later.bill.cacheReadTokens).toBe(1_152);
    const last = servePrompt(later.cache, first, serving(PREFIX, { atMs: 2 * LIFETIME_MS - 2 }));
    expect(last.bill.cacheReadTokens).toBe(1_152);
    const dead = servePrompt(last.cache, first, serving(PREFIX, { atMs: 4 * LIFETIME_MS }));
    expect(dead.bill).toMatchObject({ inputTokens: 1_200, cacheReadTokens: 0 });
  });

  it("remembers nothing of a prompt that is too short", () => {
    const short = servePrompt(new Map(), [text("a", 1_000)], serving(PREFIX));
    expect(short.cache.size).toBe(0);
  });
});

describe("a cache of whole units", () => {
  it("reads a prompt that ended where an earlier one did, and nothing of one that parts before", () => {
    const first = [text("a", 100), text("b", 100)];
    const { cache } = servePrompt(new Map(), first, serving({ kind: "units" }));
    const read = (...parts: readonly PromptPart[]) => {
      return servePrompt(cache, parts, serving({ kind: "units" })).bill.cacheReadTokens;
    };
    expect(read(...first, text("c", 10))).toBe(200);
    expect(read(text("a", 100), text("c", 100))).toBe(0);
  });
});

describe("a cache with breakpoints", () => {
  const head = text("h", 1_100, { isInput: false });

  it("writes up to the newest input and reads it back, however many parts came since", () => {
    const first = servePrompt(new Map(), [head, text("a", 50), text("m", 30, { isInput: false })], serving(MARKED));
    expect(first.bill).toEqual({
      inputTokens: 30,
      cacheReadTokens: 0,
      cacheWrite5mTokens: 1_150,
      cacheWrite1hTokens: 0,
    });
    const since = Array.from({ length: 40 }, (_, index) => text(String(index % 10), 1));
    const parts = [head, text("a", 50), text("m", 30, { isInput: false }), ...since];
    const second = servePrompt(first.cache, parts, serving(MARKED, { atMs: 1 }));
    expect(second.bill).toMatchObject({ inputTokens: 0, cacheReadTokens: 1_150, cacheWrite5mTokens: 70 });
  });

  it("falls back to the last breakpoint before a change", () => {
    const stated = { ...head, isMarked: true };
    const { cache } = servePrompt(new Map(), [stated, text("a", 50)], serving(MARKED));
    const changed = servePrompt(cache, [stated, text("b", 50)], serving(MARKED));
    expect(changed.bill).toMatchObject({ cacheReadTokens: 1_100, cacheWrite5mTokens: 50 });
  });

  it("writes nothing of its own where only stated breakpoints count, and four at most", () => {
    const asked = serving(MARKED, { isImplicit: false });
    expect(servePrompt(new Map(), [head, text("a", 50)], asked).cache.size).toBe(0);
    const many = [head, ...["a", "b", "c", "d", "e"].map((letter) => text(letter, 10, { isMarked: true }))];
    expect(servePrompt(new Map(), many, asked).cache.size).toBe(4);
    expect(servePrompt(new Map(), [...many, text("z", 1)], serving(MARKED)).cache.size).toBe(4);
  });
});

it("an image counts the same whatever its size, and is another one when it differs", () => {
  const image = (data: string): PromptPart => ({ text: data, isMedia: true, isMarked: false, isInput: true });
  const { cache, tokens } = servePrompt(new Map(), [image("x".repeat(9_000))], serving(PREFIX));
  expect(tokens).toBe(1_500);
  expect(servePrompt(cache, [image("x".repeat(9_000))], serving(PREFIX)).bill.cacheReadTokens).toBe(1_408);
  expect(servePrompt(cache, [image("x")], serving(PREFIX)).bill.cacheReadTokens).toBe(0);
});
