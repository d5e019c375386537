import { describe, expect, it } from "vitest";
import { bodyOf, EMPTY_TALK, idle, read, user } from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn, send } from "../../test/support/keeper.ts";
import { FILE, keep, order, release } from "../../test/support/orders.ts";
import { createMemoryStore } from "../stores/memory.ts";
import type { PayingOptions } from "./waiting.ts";

const MODEL = { model: "claude-opus-4-8" };
const start = read(read(user(EMPTY_TALK, "look"), "r1", "/w/a.ts", FILE), "r2", "/w/b.ts", FILE);

/** What stands in the place of a read that left, once it is wanted back at a free moment and sixty warm requests went by. */
async function afterWish(range: string | null, paying: Partial<PayingOptions>): Promise<unknown> {
  const store = createMemoryStore({});
  const first = createTestKeeper({ store });
  await send(first, bodyOf(start, MODEL), { atMs: 0 });
  await order(first, release("r1"));
  await send(first, bodyOf(idle(start, "i", 1), MODEL), { atMs: 1_000 });
  const keeper = createTestKeeper({ store, idPrefix: "b", whenFree: true, paying });
  expect(await order(keeper, keep("r1", range))).toMatchObject({ words: expect.stringContaining("waiting") });
  let sent = "";
  for (let step = 2; step <= 60; step++) {
    sent = await send(keeper, bodyOf(idle(start, "i", step), MODEL), { atMs: step * 1_000 });
  }
  return resultIn(sent, "r1");
}

describe("a wish that waits for a free moment", () => {
  it.each([null, "2-9"])("to have %j back saves nothing, so no batch that pays carries it out", async (range) => {
    expect(await afterWish(range, { pays: true })).not.toContain("value1 ");
  });

  it.each([null, "2-9"])("to have %j back brings no prompt below the mark of its window", async (range) => {
    expect(await afterWish(range, { pressureTokens: 2_500 })).not.toContain("value1 ");
  });
});
