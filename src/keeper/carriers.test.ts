import { expect, it } from "vitest";
import {
  assistant,
  bash,
  bodyOf,
  call,
  EMPTY_TALK,
  result,
  results,
  text,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn, send } from "../../test/support/keeper.ts";
import { CONTEXT, declare, FILE, FOREVER, order, release, scope } from "../../test/support/orders.ts";
import { imageBlock, picture } from "../../test/support/pictures.ts";
import type { Order } from "./order.ts";

const called = assistant(user(EMPTY_TALK, "look"), call("s1", "Bash", { command: "shot" }));
const start = results(called, result("s1", [text(FILE), imageBlock(picture(1))]));
const next = bash(start, "b1", "ls", "x");
const close: Order = { verb: "close", scope: "tmp_fix", reason: "done" };

async function staged(before: Order | null = null) {
  const keeper = createTestKeeper();
  await send(keeper, bodyOf(user(EMPTY_TALK, "look")));
  if (before !== null) await order(keeper, before);
  await send(keeper, bodyOf(start));
  const found = (await keeper.store.findItems("local", "s1")).map(({ item }) => item);
  const addressOf = (kind: string) => found.find((item) => item.kind === kind)?.address ?? "";
  return { keeper, result: addressOf("result"), image: addressOf("media") };
}

it("an attachment of a protected result waits, and says so, and the window shows it protected", async () => {
  const { keeper, result, image } = await staged();
  await order(keeper, declare("protect", { ids: [result] }, FOREVER));
  const window = await keeper.window(CONTEXT);
  const listed = window.ok ? window.items.map((item) => [item.address, item.protected?.until]) : [];
  expect(listed).toEqual([
    [result, "for good"],
    [image, "for good"],
  ]);
  const { words } = await order(keeper, release(image));
  expect(words).toContain("; waiting: it is protected for good: in use");
  expect(JSON.stringify(resultIn(await send(keeper, bodyOf(next)), "s1"))).not.toContain("[ebb ");
});

it.each([
  ["protected", (id: string) => declare("protect", { ids: [id] }, FOREVER)],
  ["held for good", (id: string) => declare("hold", { ids: [id] }, FOREVER)],
])("a closing scope lets go of no attachment whose result is %s", async (_, declared) => {
  const { keeper, result } = await staged(declare("hold", {}, scope("tmp_fix")));
  await order(keeper, declared(result));
  expect(await order(keeper, close)).toMatchObject({ ok: true, addresses: [] });
  expect(JSON.stringify(resultIn(await send(keeper, bodyOf(next)), "s1"))).not.toContain("[ebb ");
});

it("a closing scope lets go of the attachment of a result that was held with it, and the text stays", async () => {
  const { keeper, result, image } = await staged();
  await order(keeper, declare("hold", { ids: [result] }, scope("tmp_fix")));
  expect(await order(keeper, close)).toMatchObject({ ok: true, addresses: [image] });
  const sent = JSON.stringify(resultIn(await send(keeper, bodyOf(next)), "s1"));
  expect(sent).toContain(`[ebb ${image}]`);
  expect(sent).toContain("const value0");
});
