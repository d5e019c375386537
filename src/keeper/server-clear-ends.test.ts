import { describe, expect, it } from "vitest";
import type { ExchangeOptions } from "../../test/support/clearing-client.ts";
import { editIn, keptIn, MINUTE, notesIn, play, SECOND, stageOf } from "../../test/support/clearing-stage.ts";
import { assistant, text, user } from "../../test/support/conversation.ts";
import { CONTEXT } from "../../test/support/orders.ts";
import type { JsonObject } from "../model/json.ts";
import { invalid, refusal } from "../replay/simulated/refusal.ts";

const COLD = 20 * MINUTE;
const OWN: JsonObject = { context_management: { edits: [{ type: "clear_tool_uses_20250919" }] } };

type Stage = ReturnType<typeof stageOf>;

async function statesOf({ keeper }: Stage): Promise<readonly string[]> {
  const window = await keeper.window(CONTEXT);
  if (!window.ok) throw new Error(window.words);
  return window.items.map(({ state }) => state);
}

/** The provider answers as it does, but tells something else of what it cleared. */
function telling({ provider }: Stage, told: JsonObject | null): ExchangeOptions {
  return {
    answer(body) {
      if (body.context_management === undefined) return null;
      const betas = new Set(["context-management-2025-06-27"]);
      const answered = provider.exchange(body, { atMs: COLD, betas });
      if (!answered.ok) return null;
      const { context_management: _, ...rest } = answered.message;
      return told === null ? rest : { ...rest, context_management: told };
    },
  };
}

const applied = (...uses: readonly number[]): JsonObject => ({
  applied_edits: uses.map((count) => ({
    type: "clear_tool_uses_20250919",
    cleared_tool_uses: count,
    cleared_input_tokens: count * 900,
  })),
});

describe("a client that asks for its own context editing", () => {
  it("keeps its own: nothing is added", async () => {
    const { client } = stageOf();
    await play(client, 10, 0, { more: OWN });
    const [cold] = await play(client, 1, COLD, { more: OWN });
    expect(cold?.sent.context_management).toEqual(OWN.context_management);
    expect(cold?.prepared.isEdited).toBe(false);
    expect(cold?.prepared.headers).toEqual([]);
  });

  it("ends what Ebb asked for, which stands in full again, and the note stays", async () => {
    const stage = stageOf();
    await play(stage.client, 10);
    await play(stage.client, 3, COLD);
    expect(await statesOf(stage)).toContain("released");
    const [own] = await play(stage.client, 1, COLD + MINUTE, { more: OWN });
    expect(own?.sent.context_management).toEqual(OWN.context_management);
    expect(own === undefined ? 0 : notesIn(own).length).toBe(1);
    expect(await statesOf(stage)).not.toContain("released");
    expect((await play(stage.client, 1, COLD + 2 * MINUTE)).map(editIn)).toEqual([undefined]);
    expect(stage.keeper.stats().law_violations).toBe(0);
  });
});

describe("tool uses of another kind", () => {
  it("end it: nobody knows how the provider counts them", async () => {
    const stage = stageOf();
    await play(stage.client, 10);
    await play(stage.client, 3, COLD);
    const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };
    const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
    stage.client.talk = user(assistant(stage.client.talk, text("looking"), search, found), "go on");
    const [searched, next] = await play(stage.client, 2, COLD + MINUTE);
    expect([searched, next].map((done) => done && editIn(done))).toEqual([undefined, undefined]);
    expect(await statesOf(stage)).not.toContain("released");
    expect(stage.keeper.stats()).toMatchObject({ law_violations: 0, errors: [] });
  });
});

describe("a provider that does not do what it was asked", () => {
  it.each<[string, JsonObject | null, string]>([
    ["tells that it cleared nothing", applied(), "did not clear what it was asked to"],
    ["tells that it cleared more than was asked", applied(9), "did not clear what it was asked to"],
    ["tells nothing of it", null, "does not tell what it cleared"],
  ])("and %s is not asked again, and nothing counts as released", async (_, told, words) => {
    const stage = stageOf();
    await play(stage.client, 10);
    const [cold] = await play(stage.client, 1, COLD, telling(stage, told));
    expect(cold === undefined ? -1 : keptIn(cold)).toBe(5);
    expect(stage.keeper.errors).toEqual([expect.stringContaining(words)]);
    expect(await statesOf(stage)).not.toContain("released");
    const later = [...(await play(stage.client, 2, COLD + MINUTE)), ...(await play(stage.client, 1, 3 * COLD))];
    expect(later.map(editIn)).toEqual([undefined, undefined, undefined]);
    expect(later.flatMap(notesIn)).toEqual([]);
  });

  it("and tells of fewer is believed: the oldest left", async () => {
    const stage = stageOf();
    await play(stage.client, 10);
    await play(stage.client, 1, COLD, telling(stage, applied(3)));
    expect((await statesOf(stage)).filter((state) => state === "released")).toHaveLength(3);
  });

  it("and brings back what had left is not asked again, and it stands in full", async () => {
    const stage = stageOf();
    await play(stage.client, 10);
    await play(stage.client, 2, COLD);
    await play(stage.client, 1, COLD + MINUTE, telling(stage, applied(2)));
    expect(await statesOf(stage)).not.toContain("released");
    expect((await play(stage.client, 1, COLD + 2 * MINUTE)).map(editIn)).toEqual([undefined]);
  });
});

describe("a refusal", () => {
  const refusing = (words: string): ExchangeOptions => ({
    answer: ({ context_management }) => (context_management === undefined ? null : invalid(words)),
  });

  it("of the field reaches the client, and the request goes out as it came when the client retries", async () => {
    const stage = stageOf();
    await play(stage.client, 10);
    const words = "context_management: Extra inputs are not permitted";
    const refused = await stage.client.step(COLD, refusing(words));
    expect(refused.refused).toBe(words);
    const [retry] = await play(stage.client, 1, COLD + SECOND);
    expect(retry?.prepared.isEdited).toBe(false);
    expect(stage.keeper.errors).toEqual([expect.stringContaining("refused a request with context editing")]);
    expect(await statesOf(stage)).not.toContain("released");
    expect((await play(stage.client, 1, 3 * COLD)).map(editIn)).toEqual([undefined]);
  });

  it("of the field where another model takes none ends it as well, and what had left stands in full", async () => {
    const stage = stageOf();
    await play(stage.client, 10);
    await play(stage.client, 2, COLD);
    const words = "context_management: this model does not support context editing";
    expect((await stage.client.step(COLD + MINUTE, refusing(words))).refused).toBe(words);
    expect((await play(stage.client, 1, COLD + 2 * MINUTE)).map(editIn)).toEqual([undefined]);
    expect(await statesOf(stage)).not.toContain("released");
  });

  it("after the provider cleared before is of something else: it goes on", async () => {
    const stage = stageOf();
    await play(stage.client, 10);
    await play(stage.client, 2, COLD);
    await stage.client.step(COLD + MINUTE, refusing("prompt is too long"));
    const [next] = await play(stage.client, 1, COLD + 2 * MINUTE);
    expect(next === undefined ? -1 : keptIn(next)).toBe(7);
    expect(stage.keeper.errors).toEqual([]);
  });

  it("for now changes nothing: the retry carries the same bytes", async () => {
    const stage = stageOf();
    await play(stage.client, 10);
    const busy = await stage.client.step(COLD, { answer: () => refusal(529, "overloaded") });
    expect(busy.refused).toBe("overloaded");
    expect(await statesOf(stage)).not.toContain("released");
    const retry = await stage.client.step(COLD + SECOND);
    expect(JSON.stringify(retry.sent)).toBe(JSON.stringify(busy.sent));
    expect((await statesOf(stage)).filter((state) => state === "released")).toHaveLength(5);
  });
});
