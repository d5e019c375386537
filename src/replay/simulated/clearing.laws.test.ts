import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import { emptyCache, serve } from "./cache.ts";
import { refuseContextEdits } from "./context-edits.ts";
import { byteCounter, promptOf } from "./prompt.ts";

const rulesOf = (keepsThinking: boolean) => ({
  traits: { allowsSystemMessages: true, keepsThinking },
  counter: byteCounter,
  isDropped: () => false,
});

const anyRound = fc.record({
  thinking: fc.nat(600),
  result: fc.nat(4_000),
  name: fc.constantFrom("Read", "Bash", "Grep"),
  speaks: fc.boolean(),
});
const anyToolEdit = fc.record({
  type: fc.constant("clear_tool_uses_20250919"),
  trigger: fc.oneof(
    fc.record({ type: fc.constant("input_tokens"), value: fc.integer({ min: 1, max: 6_000 }) }),
    fc.record({ type: fc.constant("tool_uses"), value: fc.integer({ min: 1, max: 8 }) }),
  ),
  keep: fc.record({ type: fc.constant("tool_uses"), value: fc.nat(6) }),
  clear_at_least: fc.record({ type: fc.constant("input_tokens"), value: fc.nat(3_000) }),
  exclude_tools: fc.subarray(["Read", "Bash", "Grep"]),
  clear_tool_inputs: fc.oneof(fc.boolean(), fc.subarray(["Read", "Bash", "Grep"])),
});
const anyThinkingEdit = fc.record({
  type: fc.constant("clear_thinking_20251015"),
  keep: fc.oneof(
    fc.constant("all"),
    fc.record({ type: fc.constant("thinking_turns"), value: fc.integer({ min: 1, max: 4 }) }),
  ),
});
const anyCase = fc.record({
  rounds: fc.array(anyRound, { minLength: 1, maxLength: 10 }),
  thinking: fc.option(anyThinkingEdit),
  uses: fc.option(anyToolEdit),
  keepsThinking: fc.boolean(),
});

type Case = typeof anyCase extends fc.Arbitrary<infer One> ? One : never;

function requestOf({ rounds, thinking, uses }: Case): JsonObject {
  const messages = rounds.flatMap((round, index) => [
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "t".repeat(round.thinking), signature: `s${index}` },
        { type: "tool_use", id: `c${index}`, name: round.name, input: { path: `/${index}` } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: `c${index}`, content: "x".repeat(round.result) },
        ...(round.speaks ? [{ type: "text", text: "go on" }] : []),
      ],
    },
  ]);
  const edits = [...(thinking === null ? [] : [thinking]), ...(uses === null ? [] : [uses])];
  return {
    model: "m",
    thinking: { type: "adaptive" },
    cache_control: { type: "ephemeral" },
    messages: [{ role: "user", content: "go" }, ...messages],
    context_management: JSON.parse(JSON.stringify({ edits })),
  };
}

describe("laws of context editing", () => {
  it("what is cleared and what is left add up to the whole prompt, and the bill to what is left", () => {
    fc.assert(
      fc.property(anyCase, (one) => {
        const request = requestOf(one);
        expect(refuseContextEdits(request, { isOn: true, thinksUnasked: false })).toBeNull();
        const prompt = promptOf(request, rulesOf(one.keepsThinking));
        const cleared = prompt.clearings.reduce((sum, { tokens }) => sum + tokens, 0);
        expect(prompt.tokens + cleared).toBe(prompt.originalTokens);
        expect(prompt.clearings.every(({ tokens }) => tokens > 0)).toBe(true);
        const { bill } = serve(emptyCache, prompt, { atMs: 0, tokensMin: 1 });
        expect(bill.inputTokens + bill.cacheReadTokens + bill.cacheWrite5mTokens).toBe(prompt.tokens);
      }),
    );
  });

  it("the newest uses, and the tools that are named, keep their results", () => {
    fc.assert(
      fc.property(anyCase, (one) => {
        fc.pre(one.uses !== null);
        const { exclude_tools: spared = [], keep } = one.uses ?? {};
        const clearable = one.rounds
          .slice(0, Math.max(0, one.rounds.length - (keep?.value ?? 0)))
          .filter(({ name }) => !spared.includes(name));
        const prompt = promptOf(requestOf(one), rulesOf(true));
        const uses = prompt.clearings.find(({ kind }) => kind === "tool-uses");
        expect(uses?.kind === "tool-uses" ? uses.uses : 0).toBeLessThanOrEqual(clearable.length);
      }),
    );
  });
});
