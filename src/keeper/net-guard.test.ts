import { describe, expect, it } from "vitest";
import { createCachedProvider, exchange } from "../../test/support/cached-provider.ts";
import {
  type BodyOptions,
  bash,
  bodyOf,
  EMPTY_TALK,
  edit,
  idle,
  read,
  type Talk,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, prepare, resultIn } from "../../test/support/keeper.ts";
import { CONTEXT, order, release } from "../../test/support/orders.ts";
import { NET_GUARD_REQUESTS } from "../engine/net-guard.ts";
import { createMemoryStore } from "../stores/memory.ts";

const SECOND = 1_000;
const LATER = 7_200 * SECOND;
const FILE = Array.from({ length: 120 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const SMALL = FILE.slice(0, 1_500);
const reads = read(read(user(EMPTY_TALK, "fix it"), "r0", "/w/z.ts", SMALL), "r1", "/w/a.ts", FILE);
const start = bash(bash(reads, "b0", "one", FILE), "b1", "two", FILE);
function open(store = createMemoryStore({}), idPrefix = "a", provider = createCachedProvider()) {
  const keeper = createTestKeeper({ store, idPrefix });
  const send = (talk: Talk, atMs: number, body: BodyOptions = {}) =>
    exchange({ keeper, provider }, bodyOf(talk, body), { atMs });
  return { store, keeper, provider, send };
}

type Session = ReturnType<typeof open>;

/** So many requests: the second lets a small result go in front of all that is cached, the last makes the read of a.ts stale. */
async function costly({ keeper, send }: Session, requests: number, body: BodyOptions = {}): Promise<Talk> {
  await send(start, 0, body);
  expect(await order(keeper, release("r0"))).toMatchObject({ ok: true });
  for (let step = 1; step < requests - 1; step++) await send(idle(start, "i", step), step * SECOND, body);
  const stale = edit(idle(start, "i", requests - 2), "e1", "/w/a.ts");
  await send(stale, requests * SECOND, body);
  return idle(stale, "j", 1);
}

describe("a conversation in which Ebb cost more than it saved", () => {
  it("has nothing new leave by rule after 50 requests, and says so", async () => {
    const session = open();
    const next = await costly(session, NET_GUARD_REQUESTS);
    expect(session.keeper.stats().figures.net_cost_usd).toBeGreaterThan(0);
    expect(session.keeper.stats().net_guard).toMatchObject({ engaged: 1, requests: 0 });
    const prepared = await prepare(session.keeper, bodyOf(next), { atMs: LATER });
    const declines = prepared.kind === "forward" ? prepared.plan?.declines : [];
    expect(declines).toContainEqual(
      expect.objectContaining({ reason: "does_not_pay", words: expect.stringContaining("nothing new leaves") }),
    );
  });

  it("goes on with what was sent, and with what is decided on purpose", async () => {
    const session = open();
    const next = await costly(session, NET_GUARD_REQUESTS);
    expect(await order(session.keeper, release("b1"))).toMatchObject({ ok: true });
    const sent = await session.send(next, LATER);
    expect(resultIn(sent, "r0")).toContain("[ebb ");
    expect(resultIn(sent, "b1")).toContain("[ebb ");
    expect(resultIn(sent, "r1")).not.toContain("[ebb ");
    expect(session.keeper.stats().net_guard).toMatchObject({ engaged: 1, requests: 1 });
  });

  it("does so after a restart as well", async () => {
    const session = open();
    const next = await costly(session, NET_GUARD_REQUESTS);
    expect(resultIn(await open(session.store, "b", session.provider).send(next, LATER), "r1")).not.toContain("[ebb ");
  });

  it("is not held back before 50 requests", async () => {
    const session = open();
    const next = await costly(session, NET_GUARD_REQUESTS - 1);
    expect(resultIn(await session.send(next, LATER), "r1")).toContain("[ebb ");
  });

  it("is found by weighted tokens where no price is on record", async () => {
    const session = open();
    await costly(session, NET_GUARD_REQUESTS, { model: "mine-1" });
    expect(session.keeper.stats().figures.net_cost_usd).toBeNull();
    expect(session.keeper.stats().net_guard).toMatchObject({ engaged: 1, requests: 0 });
  });

  it("is told of in words, with its conversation and since when, by the log, the figures and the window", async () => {
    const session = open();
    await costly(session, NET_GUARD_REQUESTS);
    const since = NET_GUARD_REQUESTS * SECOND;
    expect(session.keeper.errors).toEqual([
      expect.stringMatching(/^net_guard: session session: Ebb cost more .* leaves/),
    ]);
    const [standing] = session.keeper.stats().net_guard.standing;
    expect(standing).toMatchObject({ session: "session", since_ms: since });
    const window = await session.keeper.window(CONTEXT);
    expect(window).toMatchObject({ lineage: standing?.lineage, guarded: { atMs: since, turn: 1 } });
  });

  it("is told of again when it costs no more than it saves", async () => {
    const session = open();
    let talk = await costly(session, NET_GUARD_REQUESTS);
    expect(await order(session.keeper, release("b0"))).toMatchObject({ ok: true });
    expect(await order(session.keeper, release("b1"))).toMatchObject({ ok: true });
    for (let step = 2; step < 60 && session.keeper.stats().net_guard.standing.length > 0; step++) {
      await session.send(talk, LATER + step * SECOND);
      talk = idle(talk, "k", step);
    }
    expect(session.keeper.errors.at(-1)).toMatch(/^net_guard: session session: Ebb no longer costs more .* go on$/);
    expect(session.keeper.errors).toHaveLength(2);
    expect(await session.keeper.window(CONTEXT)).toMatchObject({ guarded: null });
  });

  it("tells since when after a restart, and tells the log nothing twice", async () => {
    const session = open();
    const next = await costly(session, NET_GUARD_REQUESTS);
    const again = open(session.store, "b", session.provider);
    await again.send(next, LATER);
    expect(again.keeper.errors).toEqual([]);
    expect(again.keeper.stats().net_guard.standing).toMatchObject([{ since_ms: NET_GUARD_REQUESTS * SECOND }]);
  });
});
