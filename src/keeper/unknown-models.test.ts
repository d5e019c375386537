import { describe, expect, it } from "vitest";
import { bodyOf, EMPTY_TALK, user } from "../../test/support/conversation.ts";
import { createTestKeeper, prepare } from "../../test/support/keeper.ts";
import { anthropicProvider } from "../providers/anthropic.ts";
import { createAccounting } from "./accounting.ts";
import { noteUnknownModel } from "./unknown-models.ts";

function noted(...models: readonly (string | null)[]) {
  const accounting = createAccounting();
  const told: string[] = [];
  const settings = {
    onError: (code: string, words: string) => told.push(`${code}: ${words}`),
  };
  for (const model of models) noteUnknownModel(model, anthropicProvider, accounting, settings);
  return { counts: accounting.stats("enforce", 0).unknown_models, told };
}

describe("a model that is not on record", () => {
  it("is counted each time and told of once, with what to do", () => {
    const { counts, told } = noted("claude-next-9", "claude-opus-4-8", "claude-next-9", "claude-next-8");
    expect(counts).toEqual({ "claude-next-9": 2, "claude-next-8": 1 });
    expect(told).toEqual([
      expect.stringMatching(
        /^unknown_model: claude-next-9 is not on record: the most cautious facts count.*under models/,
      ),
      expect.stringMatching(/^unknown_model: claude-next-8 /),
    ]);
  });

  it("is counted with the requests that ask it, not with those that count tokens", async () => {
    const keeper = createTestKeeper();
    const body = bodyOf(user(EMPTY_TALK, "go"), { model: "claude-next-9" });
    await prepare(keeper, body);
    await prepare(keeper, body, { kind: "count" });
    await prepare(keeper, bodyOf(user(EMPTY_TALK, "go")));
    expect(keeper.stats()).toMatchObject({
      requests: 2,
      counted: 1,
      unknown_models: { "claude-next-9": 1 },
      errors: [],
    });
    expect(keeper.errors).toHaveLength(1);
  });

  it("is named without what a terminal would act on, and not at length", () => {
    const { counts } = noted("\u001b[2Jmine\u0007", "x".repeat(5_000), "\u001b", null);
    expect(counts).toEqual({ "[2Jmine": 1, ["x".repeat(100)]: 1, "a model without a name": 2 });
  });

  it("shares one count with the others beyond fifty", () => {
    const { counts, told } = noted(...Array.from({ length: 60 }, (_, index) => `m${index}`));
    expect(Object.keys(counts)).toHaveLength(51);
    expect(counts.other).toBe(10);
    expect(told).toHaveLength(51);
  });
});
