import { describe, expect, it } from "vitest";
import { bash, bodyOf, EMPTY_TALK, read, user } from "../../test/support/conversation.ts";
import { createTestKeeper, send } from "../../test/support/keeper.ts";
import { FILE, order, release } from "../../test/support/orders.ts";

const MINUTE = 60_000;
const start = read(read(user(EMPTY_TALK, "look"), "r1", "/w/a.ts", FILE), "r2", "/w/b.ts", FILE);
const next = bash(start, "b1", "ls", "x");

/** What is counted as written again when both reads were sent, one is let go and the next request comes. */
async function reanchored(id: string, atMs: number): Promise<number> {
  const keeper = createTestKeeper();
  await send(keeper, bodyOf(start), { atMs: 0 });
  expect(await order(keeper, release(id))).toMatchObject({ ok: true });
  expect(await send(keeper, bodyOf(next), { atMs })).toContain("[ebb ");
  await keeper.close();
  return keeper.stats().figures.reanchored_tokens;
}

describe("tokens written again", () => {
  it("are what stood in the cache behind a release on purpose, which stands there no more", async () => {
    const [behindFirst, behindSecond] = [await reanchored("r1", MINUTE), await reanchored("r2", MINUTE)];
    expect(behindFirst).toBeGreaterThan(1_000);
    expect(behindSecond).toBe(0);
  });

  it("are none where the cache had expired", async () => {
    expect(await reanchored("r1", 60 * MINUTE)).toBe(0);
  });
});
