import { expect, test } from "vitest";
import { bash, bodyOf, EMPTY_TALK, edit, read, user } from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn, send } from "../../test/support/keeper.ts";

const TEXT = Array.from({ length: 200 }, (_, index) => `line ${index + 1} of the file`).join("\n");
const HOUR = 3_600_000;

const opened = read(user(EMPTY_TALK, "Do it."), "r1", "/w/a.ts", TEXT);
const edited = edit(opened, "e1", "/w/a.ts");

test("a stale read that stands as a marker counts as avoided in every request, in full it counts as stale", async () => {
  const keeper = createTestKeeper();
  await send(keeper, bodyOf(opened), { atMs: 0 });
  await send(keeper, bodyOf(edited), { atMs: HOUR });
  await keeper.close();
  const { unique_released_tokens: released, removed_tokens: removed, ...once } = keeper.stats().figures;
  expect(once).toMatchObject({ stale_token_turns: 0, stale_token_turns_avoided: removed });
  expect(removed).toBeGreaterThan(released / 2);

  await send(keeper, bodyOf(bash(edited, "b1", "true", "ok")), { atMs: HOUR });
  await keeper.close();
  expect(keeper.stats().figures.stale_token_turns_avoided).toBe(2 * removed);
});

test("nothing is avoided while nothing acts", async () => {
  const keeper = createTestKeeper({ mode: "observe" });
  await send(keeper, bodyOf(edited), { atMs: HOUR });
  await keeper.close();
  expect(keeper.stats().figures).toMatchObject({ stale_token_turns_avoided: 0 });
  expect(keeper.stats().figures.stale_token_turns).toBeGreaterThan(0);
});

test("an answer of a recall is counted once, in the first request that holds it", async () => {
  const keeper = createTestKeeper();
  await send(keeper, bodyOf(opened), { atMs: 0 });
  const sent = await send(keeper, bodyOf(edited), { atMs: HOUR });
  const address = /^\[ebb (\w{12})\]/.exec(String(resultIn(sent, "r1")))?.[1] ?? "";
  const query = { range: "1-9", pattern: null, ignoreCase: false, chars: null, sessionId: null, by: "agent" } as const;
  const answer = await keeper.recall({ ...query, tenant: "local", id: address, atMs: HOUR });
  const recalled = bash(edited, "b1", `ebb recall ${address} --range 1-9`, answer.ok ? answer.text : "");
  await send(keeper, bodyOf(recalled), { atMs: HOUR });
  await send(keeper, bodyOf(bash(recalled, "b2", "true", "ok")), { atMs: HOUR });
  await keeper.close();
  const { recalled_items: items, recalled_tokens: tokens } = keeper.stats().figures;
  expect(items).toBe(1);
  expect(tokens).toBeGreaterThan(20);
  expect(tokens).toBeLessThan(200);
});
