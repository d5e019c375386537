import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import { emptyCache, type PromptCache, serve } from "./cache.ts";
import { refuseCacheEdits } from "./cache-edit-check.ts";
import { CACHE_EDIT_SHAPE } from "./cache-edits.ts";
import { byteCounter, promptOf } from "./prompt.ts";

const rules = {
  traits: { allowsSystemMessages: true, keepsThinking: true },
  counter: byteCounter,
  isDropped: () => false,
};
const knowing = { ...rules, cacheEdits: CACHE_EDIT_SHAPE };

interface Round {
  readonly size: number;
  /** Which earlier result this round's message deletes, among those still there. */
  readonly deletes: number | null;
}

const anyRounds = fc.array(fc.record({ size: fc.integer({ min: 1, max: 3_000 }), deletes: fc.option(fc.nat(20)) }), {
  minLength: 2,
  maxLength: 8,
});

/** What a client sends after so many rounds: earlier edits stand where they were, the breakpoint is on the last block. */
function requestAfter(rounds: readonly Round[], count: number): JsonObject {
  const messages: JsonObject[] = [{ role: "user", content: "go" }];
  const left = new Set<number>();
  for (const [index, { size, deletes }] of rounds.slice(0, count).entries()) {
    const isLast = index === count - 1;
    const victim = deletes === null || left.size === 0 ? null : ([...left][deletes % left.size] ?? null);
    if (victim !== null) left.delete(victim);
    const result = { type: "tool_result", tool_use_id: `t${index}`, content: `${index} ${"x".repeat(size)}` };
    const edit = { type: "cache_edits", edits: [{ type: "delete", cache_reference: `t${victim}` }] };
    const end = { type: "text", text: `end ${index}` };
    messages.push(
      { role: "assistant", content: [{ type: "tool_use", id: `t${index}`, name: "Read", input: {} }] },
      {
        role: "user",
        content: [
          isLast ? result : { ...result, cache_reference: `t${index}` },
          ...(victim === null ? [] : [edit]),
          isLast ? { ...end, cache_control: { type: "ephemeral" } } : end,
        ],
      },
    );
    left.add(index);
  }
  return { model: "m", messages };
}

/** The same request without any deletion. */
function undeleted(request: JsonObject): JsonObject {
  const messages: { role: string; content: string | { type: string }[] }[] = JSON.parse(
    JSON.stringify(request.messages),
  );
  return {
    ...request,
    messages: messages.map(({ role, content }) => ({
      role,
      content: typeof content === "string" ? content : content.filter(({ type }) => type !== "cache_edits"),
    })),
  };
}

describe("laws of cache edits", () => {
  it("what is read, written, plain and deleted adds up to the whole conversation", () => {
    fc.assert(
      fc.property(anyRounds, (rounds) => {
        let cache: PromptCache = emptyCache;
        for (const [index] of rounds.entries()) {
          const request = requestAfter(rounds, index + 1);
          expect(refuseCacheEdits(request, { shape: CACHE_EDIT_SHAPE, isOn: true })).toBeNull();
          const prompt = promptOf(request, knowing);
          const served = serve(cache, prompt, { atMs: 0, tokensMin: 1 });
          cache = served.cache;
          const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = served.bill;
          const sum = inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens;
          expect(sum).toBe(prompt.tokens);
          expect(sum + prompt.deletedTokens).toBe(promptOf(undeleted(request), knowing).tokens);
        }
      }),
    );
  });

  it("a deletion that is repeated in its place never makes anything be written twice", () => {
    fc.assert(
      fc.property(anyRounds, (rounds) => {
        let cache: PromptCache = emptyCache;
        let known = 0;
        let deletedBefore = 0;
        for (const [index] of rounds.entries()) {
          const prompt = promptOf(requestAfter(rounds, index + 1), knowing);
          const served = serve(cache, prompt, { atMs: 0, tokensMin: 1 });
          cache = served.cache;
          expect(served.bill.cacheReadTokens).toBe(known - (prompt.deletedTokens - deletedBefore));
          expect(prompt.deletedTokens).toBeGreaterThanOrEqual(deletedBefore);
          known = served.bill.cacheReadTokens + served.bill.cacheWrite5mTokens;
          deletedBefore = prompt.deletedTokens;
        }
      }),
    );
  });
});
