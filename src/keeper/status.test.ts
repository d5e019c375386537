import { describe, expect, it } from "vitest";
import { createCachedProvider, exchange } from "../../test/support/cached-provider.ts";
import { bodyOf, EMPTY_TALK, edit, idle, read, type Talk, user } from "../../test/support/conversation.ts";
import { createTestKeeper } from "../../test/support/keeper.ts";
import { order, release } from "../../test/support/orders.ts";
import { createMemoryStore } from "../stores/memory.ts";
import { opened } from "../testing/test-store-samples.ts";
import { createStatusBoard, type Status, statusOf } from "./status.ts";

const FILE = Array.from({ length: 120 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");

function open(store = createMemoryStore({}), idPrefix = "a") {
  const keeper = createTestKeeper({ store, idPrefix });
  const provider = createCachedProvider();
  const send = (talk: Talk, atMs: number, hints: { sessionId?: string; agentId?: string } = {}) =>
    exchange({ keeper, provider }, bodyOf(talk), { atMs, ...hints });
  return { store, keeper, send };
}

type Asked = ReturnType<typeof open>["keeper"];

async function statusIn(keeper: Asked, sessionId: string | null = null): Promise<Status | null> {
  const told = await keeper.status({ tenant: "local", sessionId });
  if (!told.ok) throw new Error(told.words);
  return told.status;
}

/** A read that an edit made stale after it was sent: it waits for a moment. */
const talk = edit(read(read(user(EMPTY_TALK, "go"), "r0", "/w/z.ts", FILE), "r1", "/w/a.ts", FILE), "e1", "/w/a.ts");

describe("the status of a conversation", () => {
  it("is found by its session behind hundreds of newer ones", async () => {
    const { keeper, store } = open();
    for (let index = 0; index < 260; index++) {
      const entry = opened(`s${index}`);
      const commit = { expectedSeq: 0, atMs: 1_000 + index, entries: [entry], chain: [], originals: [] };
      await store.commit({ tenant: "local", lineage: `l${index}`, ...commit });
    }
    expect(await statusIn(keeper, "s3")).toMatchObject({ session: "s3", lineage: "l3" });
    expect(await statusIn(keeper, "s300")).toBeNull();
  });

  it("tells window, what left, what waits and the net, as the account has them", async () => {
    const { keeper, send, store } = open();
    expect(await statusIn(keeper)).toBeNull();
    await send(read(read(user(EMPTY_TALK, "go"), "r0", "/w/z.ts", FILE), "r1", "/w/a.ts", FILE), 1_000);
    await order(keeper, release("r0"));
    await send(talk, 2_000);
    const third = read(talk, "r2", "/w/b.ts", FILE);
    await send(third, 3_000);
    await send(edit(third, "e2", "/w/b.ts"), 4_000);
    const status = await statusIn(keeper);
    const { figures } = keeper.stats();
    expect(status).toMatchObject({ session: "session", at_ms: 4_000, guarded_since_ms: null });
    expect(status?.released_tokens).toBe(figures.attempted_tokens);
    expect(status?.window_tokens).toBeGreaterThan(status?.waiting_tokens ?? 0);
    expect(status?.waiting_tokens).toBeGreaterThan(1_000);
    expect(status?.net_usd).toBeCloseTo(figures.net_cost_usd ?? Number.NaN, 10);
    const desk = { store, board: createStatusBoard(), mode: "off", isPaused: false } as const;
    const alone = await statusOf({ tenant: "local", sessionId: null }, desk);
    expect(alone).toMatchObject({ ok: true, status: { ...status, waiting_tokens: null } });
  });

  it("is that of the named session, else of the one used last; sub-agents count in the net alone", async () => {
    const { keeper, send } = open();
    await send(talk, 1_000, { sessionId: "one" });
    const alone = await statusIn(keeper, "one");
    await send(idle(user(EMPTY_TALK, "help"), "s", 1), 1_500, { sessionId: "one", agentId: "sub" });
    await send(idle(user(EMPTY_TALK, "other"), "i", 1), 2_000, { sessionId: "two" });
    expect(await statusIn(keeper)).toMatchObject({ session: "two", at_ms: 2_000 });
    expect(await statusIn(keeper, "one")).toMatchObject({ session: "one", at_ms: 1_000, lineage: alone?.lineage });
    expect(await statusIn(keeper, "three")).toBeNull();
  });

  it("follows what other processes write to the store", async () => {
    const first = open();
    await first.send(talk, 1_000);
    const second = open(first.store, "b");
    expect(await statusIn(second.keeper)).toMatchObject({ at_ms: 1_000, waiting_tokens: null });
    await first.send(idle(talk, "i", 1), 5_000);
    expect(await statusIn(second.keeper)).toMatchObject({ at_ms: 5_000 });
  });

  it("keeps what waits through a pause, in which nothing is planned", async () => {
    let isPaused = false;
    const keeper = createTestKeeper({ isPaused: () => isPaused });
    const provider = createCachedProvider();
    const send = (one: Talk, atMs: number) => exchange({ keeper, provider }, bodyOf(one), { atMs });
    await send(read(user(EMPTY_TALK, "go"), "r1", "/w/a.ts", FILE), 1_000);
    await send(edit(read(user(EMPTY_TALK, "go"), "r1", "/w/a.ts", FILE), "e1", "/w/a.ts"), 2_000);
    const before = await statusIn(keeper);
    isPaused = true;
    await send(idle(edit(read(user(EMPTY_TALK, "go"), "r1", "/w/a.ts", FILE), "e1", "/w/a.ts"), "i", 1), 3_000);
    expect((await statusIn(keeper))?.waiting_tokens).toBe(before?.waiting_tokens);
    expect(await keeper.status({ tenant: "local", sessionId: null })).toMatchObject({ paused: true, mode: "enforce" });
  });
});
