import { describe, expect, it } from "vitest";
import { bash, bodyOf, EMPTY_TALK, read, user } from "../../test/support/conversation.ts";
import { createTestKeeper, prepare, resultIn, send } from "../../test/support/keeper.ts";
import { keep, order, release } from "../../test/support/orders.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { Store } from "../model/store.ts";
import { createMemoryStore } from "../stores/memory.ts";

const BIG = Array.from({ length: 200 }, (_, line) => `line ${line} of something long enough to matter`).join("\n");
const bound = { lines: 50, bytes: 262_144 };
const start = read(user(EMPTY_TALK, "look at it"), "r1", "/w/a.ts", BIG);
const next = read(start, "r2", "/w/b.ts", BIG);

/** A store whose methods can be made to fail from some moment on. */
function breakable(): { readonly store: Store; readonly broken: Set<keyof Store> } {
  const inner = createMemoryStore({});
  const broken = new Set<keyof Store>();
  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      if (broken.has(name)) return () => Promise.reject(new EbbError("store_failed", `${name} fails`));
      return target[name];
    },
  });
  return { store, broken };
}

describe("when the store cannot write", () => {
  it("sends the script that was sent before and decides nothing new", async () => {
    const { store, broken } = breakable();
    const keeper = createTestKeeper({ store, bound });
    const first = await send(keeper, bodyOf(start));
    broken.add("commit");
    const sent = await send(keeper, bodyOf(next));
    expect(resultIn(sent, "r1")).toBe(resultIn(first, "r1"));
    expect(resultIn(sent, "r2")).not.toContain("[ebb ");
    expect(keeper.stats()).toMatchObject({ fallbacks: { script_only: 1 }, errors: [{ code: "store_failed" }] });
  });

  it("tells of what leaves and of nothing that it would have put back", async () => {
    const { store, broken } = breakable();
    const keeper = createTestKeeper({ store });
    await send(keeper, bodyOf(start));
    await order(keeper, release("r1"));
    await send(keeper, bodyOf(bash(start, "b1", "ls", "x")));
    await order(keeper, keep("r1", null));
    broken.add("commit");
    const prepared = await prepare(keeper, bodyOf(bash(bash(start, "b1", "ls", "x"), "b2", "ls", "y")));
    if (prepared.kind !== "forward") throw new Error(prepared.words);
    expect(resultIn(Buffer.concat(prepared.body).toString(), "r1")).toContain("[ebb ");
    expect(prepared.plan?.inForce).toMatchObject([{ reason: "let_go" }]);
  });

  it("goes on with what it then sent once the store is back", async () => {
    const { store, broken } = breakable();
    const keeper = createTestKeeper({ store, bound });
    const first = await send(keeper, bodyOf(start));
    broken.add("commit");
    await send(keeper, bodyOf(next));
    broken.clear();
    const sent = await send(keeper, bodyOf(bash(next, "b1", "ls", "x")));
    expect(resultIn(sent, "r1")).toBe(resultIn(first, "r1"));
    expect(resultIn(sent, "r2")).not.toContain("[ebb ");
    const later = createTestKeeper({ store, bound, idPrefix: "later" });
    const again = await send(later, bodyOf(bash(bash(next, "b1", "ls", "x"), "b2", "ls", "y")));
    expect(resultIn(again, "r1")).toBe(resultIn(first, "r1"));
  });

  it("holds everything when originals cannot be kept or read back", async () => {
    for (const method of ["putOriginals", "getOriginal"] as const) {
      const { store, broken } = breakable();
      broken.add(method);
      const keeper = createTestKeeper({ store, bound });
      expect(await send(keeper, bodyOf(start))).not.toContain("[ebb ");
    }
  });

  it("holds what the disk cap refuses and says not_stored", async () => {
    const keeper = createTestKeeper({ store: createMemoryStore({ bytesMax: 10 }), bound });
    expect(await send(keeper, bodyOf(start))).not.toContain("[ebb ");
    expect(keeper.stats().declined.map((count) => count.reason)).toContain("not_stored");
  });
});

describe("when the store cannot be read", () => {
  it("sends a new conversation as it came, and goes on with it", async () => {
    const { store, broken } = breakable();
    broken.add("findChain");
    const keeper = createTestKeeper({ store, bound });
    const opening = bodyOf(user(EMPTY_TALK, "look at it"));
    expect(await send(keeper, opening, { calls: ["r1"] })).toBe(Buffer.from(opening).toString());
    expect(await send(keeper, bodyOf(start))).not.toContain("[ebb ");
    expect(keeper.stats().fallbacks.refused).toBe(0);
  });

  it("refuses another conversation that began in the same way: what was sent of it is not known here", async () => {
    const { store, broken } = breakable();
    await send(createTestKeeper({ store, bound }), bodyOf(start));
    broken.add("findChain");
    const keeper = createTestKeeper({ store, bound, idPrefix: "later" });
    await send(keeper, bodyOf(user(EMPTY_TALK, "look at it")), { calls: ["z1"] });
    expect((await prepare(keeper, bodyOf(start))).kind).toBe("refuse");
    const own = bash(user(EMPTY_TALK, "look at it"), "z1", "ls", "x");
    expect((await prepare(keeper, bodyOf(own))).kind).toBe("forward");
    broken.clear();
    expect(resultIn(await send(keeper, bodyOf(next)), "r1")).toContain("[ebb ");
  });

  it("replays what memory knows of a conversation", async () => {
    const { store, broken } = breakable();
    const keeper = createTestKeeper({ store, bound });
    const first = await send(keeper, bodyOf(start));
    broken.add("findChain");
    expect(resultIn(await send(keeper, bodyOf(next)), "r1")).toBe(resultIn(first, "r1"));
  });

  it("refuses a conversation of which it cannot tell what was sent", async () => {
    const { store, broken } = breakable();
    broken.add("findChain");
    const keeper = createTestKeeper({ store, bound });
    const prepared = await prepare(keeper, bodyOf(next));
    expect(prepared.kind).toBe("refuse");
    expect(keeper.stats().fallbacks.refused).toBe(1);
  });
});

describe("a body that cannot be read", () => {
  it.each(["{", "[]", '{"messages":3}', '{"model":"m","messages":{"role":"user"}}', ""])(
    "leaves as it came: %j",
    async (text) => {
      const keeper = createTestKeeper({ bound });
      expect(await send(keeper, Buffer.from(text))).toBe(text);
      expect(Object.values(keeper.stats().unread)).toEqual([1]);
    },
  );
});

describe("two keepers on one store", () => {
  it("plan again when the other one wrote first, and send the same marker", async () => {
    const { store } = breakable();
    const left = createTestKeeper({ store, bound, idPrefix: "left" });
    const right = createTestKeeper({ store, bound, idPrefix: "right" });
    const first = await send(left, bodyOf(start));
    expect(resultIn(await send(right, bodyOf(next)), "r1")).toBe(resultIn(first, "r1"));
    const third = await send(left, bodyOf(bash(next, "b1", "ls", "x")));
    const fourth = await send(right, bodyOf(bash(bash(next, "b1", "ls", "x"), "b2", "ls", "y")));
    for (const id of ["r1", "r2"]) {
      expect(resultIn(third, id)).toContain("[ebb ");
      expect(resultIn(fourth, id)).toBe(resultIn(third, id));
    }
  });
});
