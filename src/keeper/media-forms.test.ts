import { describe, expect, it } from "vitest";
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
import { createTestKeeper, send } from "../../test/support/keeper.ts";
import { imageBlock, picture } from "../../test/support/pictures.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { Store } from "../model/store.ts";
import { createMemoryStore } from "../stores/memory.ts";
import type { Order } from "./order.ts";

type TestKeeper = ReturnType<typeof createTestKeeper>;

const WORDS = "what the page says, in many words. ".repeat(20);
const called = assistant(user(EMPTY_TALK, "look"), call("s1", "Read", { file_path: "/w/s1.png" }));
const talk = results(called, result("s1", [imageBlock(picture(1)), text(WORDS)]));
const next = bash(talk, "b1", "ls", "x");
const later = bash(next, "b2", "ls", "y");

async function decide(keeper: TestKeeper, order: Order): Promise<void> {
  const context = { tenant: "local", lineage: null, sessionId: "session", by: "user", atMs: 1 } as const;
  expect(await keeper.decide(order, context)).toMatchObject({ ok: true });
}

/** Lets the image and the text beside it go, each by its own address. */
async function releaseBoth(keeper: TestKeeper): Promise<readonly string[]> {
  await send(keeper, bodyOf(talk));
  const ids = (await keeper.store.findItems("local", "s1")).map(({ item }) => item.address);
  await decide(keeper, { verb: "release", targets: { ids, paths: [], latest: null }, reason: "seen" });
  return ids;
}

const markersIn = (body: string) => body.match(/\[ebb [0-9a-z]{12}\][^"]*/g) ?? [];

describe("an image before the text of its result", () => {
  it("leaves with it, each marker in its own place, and both are repeated", async () => {
    const keeper = createTestKeeper();
    const ids = await releaseBoth(keeper);
    expect(ids).toHaveLength(2);
    const bodies = [await send(keeper, bodyOf(next)), await send(keeper, bodyOf(later))];
    for (const body of bodies) {
      expect(markersIn(body).map((marker) => marker.includes("image/png"))).toEqual([true, false]);
      expect(body).not.toContain("base64");
      expect(body).not.toContain("in many words");
    }
    expect(markersIn(bodies[1] ?? "")).toEqual(markersIn(bodies[0] ?? ""));
    expect(keeper.stats()).toMatchObject({ law_violations: 0, fallbacks: { refused: 0, original: 0 } });
  });

  it("stays out while the store fails, in the form it was sent in", async () => {
    const inner = createMemoryStore({});
    let isBroken = false;
    const fail = () => Promise.reject(new EbbError("store_failed", "fails"));
    const commit: Store["commit"] = (given) => (isBroken ? fail() : inner.commit(given));
    const findChain: Store["findChain"] = (...given) => (isBroken ? fail() : inner.findChain(...given));
    const keeper = createTestKeeper({ store: { ...inner, commit, findChain } });
    await releaseBoth(keeper);
    const before = markersIn(await send(keeper, bodyOf(next)));
    isBroken = true;
    const body = await send(keeper, bodyOf(later));
    expect(markersIn(body)).toEqual(before);
    expect(body).not.toContain("base64");
    expect(keeper.stats().law_violations).toBe(0);
  });
});

describe("a scope that is closed", () => {
  it("lets go of the attachments that were acquired in it, and leaves the text beside them", async () => {
    const keeper = createTestKeeper();
    const start = user(EMPTY_TALK, "look");
    await send(keeper, bodyOf(start));
    const nothing = { ids: [], paths: [], latest: null };
    const lifetime = { kind: "scope", scope: "tmp_page" } as const;
    await decide(keeper, { verb: "hold", targets: nothing, lifetime, reason: "the page" });
    await send(keeper, bodyOf(talk));
    await decide(keeper, { verb: "close", scope: "tmp_page", reason: "done" });
    const body = await send(keeper, bodyOf(next));
    expect(body).not.toContain("base64");
    expect(markersIn(body)).toMatchObject([expect.stringContaining("image/png 1280x800")]);
    expect(body).toContain("in many words");
    expect(keeper.stats().law_violations).toBe(0);
  });
});
