import { describe, expect, it } from "vitest";
import { bash, bodyOf, EMPTY_TALK, read, user } from "../../test/support/conversation.ts";
import { createTestKeeper, prepare, resultIn, send } from "../../test/support/keeper.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { Store } from "../model/store.ts";
import { createMemoryStore } from "../stores/memory.ts";

const FILE = Array.from({ length: 120 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const bound = { lines: 50, bytes: 262_144 };
const readTalk = read(user(EMPTY_TALK, "go"), "r1", "/w/a.ts", FILE);
const next = bash(readTalk, "b1", "x", "text");

describe("a conversation that the store knows, but whose ledger it lost", () => {
  it("is refused where nobody can tell what was sent of it", async () => {
    const inner = createMemoryStore({});
    await send(createTestKeeper({ bound, store: inner }), bodyOf(readTalk));
    const later = createTestKeeper({ bound, store: { ...inner, loadLineage: async () => [] }, idPrefix: "later" });
    expect((await prepare(later, bodyOf(next))).kind).toBe("refuse");
    expect(later.stats().errors).toMatchObject([{ code: "store_corrupt" }]);
  });

  it("goes on in the process that sent it and remembers", async () => {
    const inner = createMemoryStore({});
    const keeper = createTestKeeper({ bound, store: { ...inner, loadLineage: async () => [] } });
    const marked = resultIn(await send(keeper, bodyOf(readTalk)), "r1");
    expect(resultIn(await send(keeper, bodyOf(next)), "r1")).toBe(marked);
    expect(keeper.stats().errors).toEqual([]);
  });
});

describe("a conversation that the store never took", () => {
  it("is recorded as soon as the store takes it, and is no lost one", async () => {
    const inner = createMemoryStore({});
    let isBroken = true;
    const commit: Store["commit"] = (given) =>
      isBroken ? Promise.reject(new EbbError("store_failed", "fails")) : inner.commit(given);
    const keeper = createTestKeeper({ bound, store: { ...inner, commit } });
    await send(keeper, bodyOf(user(EMPTY_TALK, "go")), { calls: ["r1"] });
    isBroken = false;
    await send(keeper, bodyOf(readTalk), { calls: ["b1"] });
    await send(keeper, bodyOf(next));
    expect(keeper.stats().errors.map(({ code }) => code)).toEqual(["store_failed"]);
    expect(await inner.size()).toMatchObject({ lineages: 1 });
  });
});
