import { describe, expect, it } from "vitest";
import { bash, bodyOf, EMPTY_TALK, read, user } from "../../test/support/conversation.ts";
import { createTestKeeper, prepare, resultIn, send } from "../../test/support/keeper.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { Store } from "../model/store.ts";
import { createMemoryStore } from "../stores/memory.ts";

const FILE = Array.from({ length: 120 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const bound = { lines: 50, bytes: 262_144 };
const asked = user(EMPTY_TALK, "go");
const readTalk = read(asked, "r1", "/w/a.ts", FILE);
const next = bash(readTalk, "b1", "x", "text");

/** A store whose methods can be made to fail. */
function breakable(): { readonly store: Store; readonly broken: Set<"commit" | "findChain"> } {
  const inner = createMemoryStore({});
  const broken = new Set<"commit" | "findChain">();
  const fail = () => Promise.reject(new EbbError("store_failed", "fails"));
  const commit: Store["commit"] = (given) => (broken.has("commit") ? fail() : inner.commit(given));
  const findChain: Store["findChain"] = (...given) => (broken.has("findChain") ? fail() : inner.findChain(...given));
  return { store: { ...inner, commit, findChain }, broken };
}

describe("a request the store could not record", () => {
  it("is written with the next one", async () => {
    const { store, broken } = breakable();
    const keeper = createTestKeeper({ store, bound });
    await send(keeper, bodyOf(asked));
    broken.add("commit");
    await send(keeper, bodyOf(readTalk));
    broken.clear();
    await send(keeper, bodyOf(next));
    const lineages = await store.listLineages("local", 9);
    expect(lineages).toHaveLength(1);
    const records = await store.loadLineage("local", lineages[0]?.lineage ?? "");
    const items = records.flatMap(({ entry }) => (entry.type === "request-sent" ? [entry.itemCount] : []));
    expect(items).toEqual([1, 3, 5]);
  });

  it("is found by its history once a note brought it into the store", async () => {
    const { store, broken } = breakable();
    const keeper = createTestKeeper({ store, bound });
    await send(keeper, bodyOf(asked));
    broken.add("commit");
    await send(keeper, bodyOf(readTalk));
    broken.clear();
    const targets = { ids: [], paths: ["/w/a.ts"], latest: null };
    const order = { verb: "hold", targets, lifetime: { kind: "forever" }, reason: "r" } as const;
    const context = { tenant: "local", lineage: null, sessionId: "session", by: "user", atMs: 1_000_000 } as const;
    expect(await keeper.decide(order, context)).toMatchObject({ ok: true });
    await send(createTestKeeper({ store, bound, idPrefix: "later" }), bodyOf(next));
    const lineages = await store.listLineages("local", 9);
    expect(lineages).toHaveLength(1);
    const records = await store.loadLineage("local", lineages[0]?.lineage ?? "");
    const items = records.flatMap(({ entry }) => (entry.type === "request-sent" ? [entry.itemCount] : []));
    expect(items).toEqual([1, 3, 5]);
  });

  it("leaves no gap in the history a resumed session is found by", async () => {
    const { store, broken } = breakable();
    const asks: (readonly string[])[] = [];
    const findChain: Store["findChain"] = (tenant, chain, session) => {
      asks.push(chain);
      return store.findChain(tenant, chain, session);
    };
    const keeper = createTestKeeper({ store: { ...store, findChain }, bound });
    await send(keeper, bodyOf(asked), { sessionId: "one" });
    broken.add("commit");
    await send(keeper, bodyOf(readTalk), { sessionId: "one" });
    broken.clear();
    await send(keeper, bodyOf(next), { sessionId: "two" });
    const chain = asks.at(-1) ?? [];
    expect(chain).toHaveLength(5);
    for (let count = 1; count <= chain.length; count++) {
      expect(await store.findChain("local", chain.slice(0, count), null)).toMatchObject({ position: count });
    }
  });

  it("shows a plan without decisions, and is not edited", async () => {
    const { store, broken } = breakable();
    broken.add("commit");
    const prepared = await prepare(createTestKeeper({ store, bound }), bodyOf(readTalk));
    expect(prepared).toMatchObject({ kind: "forward", isEdited: false, plan: { fresh: [], inForce: [] } });
  });

  it("counts as sent when it comes again and another process wrote in between", async () => {
    const { store, broken } = breakable();
    const keeper = createTestKeeper({ store, bound });
    await send(keeper, bodyOf(asked));
    broken.add("commit");
    await send(keeper, bodyOf(readTalk));
    broken.clear();
    await send(createTestKeeper({ store, idPrefix: "other" }), bodyOf(bash(asked, "z1", "x", "else")));
    expect(await send(keeper, bodyOf(readTalk))).not.toContain("[ebb ");
    expect(keeper.stats().fallbacks.refused).toBe(0);
  });
});

describe("a count the store could not answer", () => {
  it("does not count as sent", async () => {
    const { store, broken } = breakable();
    const keeper = createTestKeeper({ store, bound });
    await send(keeper, bodyOf(asked));
    broken.add("findChain");
    expect(await send(keeper, bodyOf(readTalk), { kind: "count" })).not.toContain("[ebb ");
    broken.clear();
    expect(resultIn(await send(keeper, bodyOf(readTalk)), "r1")).toContain("[ebb ");
  });
});

describe("a lineage another process went on with", () => {
  it("is not sent from memory when the store then fails: what was decided there is not known here", async () => {
    const { store, broken } = breakable();
    let conflicts = 0;
    const commit: Store["commit"] = async (given) => {
      if (conflicts === 0 || given.entries.every((entry) => entry.type === "response-seen")) return store.commit(given);
      conflicts--;
      broken.add("findChain");
      return { ok: false, kind: "conflict", seq: 99 };
    };
    const keeper = createTestKeeper({ store: { ...store, commit }, bound });
    await send(keeper, bodyOf(asked), { sessionId: "parent" });
    await send(keeper, bodyOf(bash(asked, "z1", "x", "else")), { sessionId: "parent" });
    await send(keeper, bodyOf(readTalk), { sessionId: "parent" });
    conflicts = 1;
    expect((await prepare(keeper, bodyOf(readTalk), { sessionId: "parent" })).kind).toBe("refuse");
  });
});

describe("an original that does not read back as it was written", () => {
  it("keeps its item held", async () => {
    const inner = createMemoryStore({});
    const getOriginal: Store["getOriginal"] = async () => ({ state: "corrupt" });
    const keeper = createTestKeeper({ store: { ...inner, getOriginal }, bound });
    expect(await send(keeper, bodyOf(readTalk))).not.toContain("[ebb ");
    expect(keeper.stats().declined.map((count) => count.reason)).toContain("not_stored");
  });
});
