import { describe, expect, it } from "vitest";
import { createCachedProvider, type ExchangeOptions, exchange } from "../../test/support/cached-provider.ts";
import {
  type BodyOptions,
  bodyOf,
  EMPTY_TALK,
  edit,
  idle,
  read,
  type Talk,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn, type TestKeeperOptions } from "../../test/support/keeper.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { Store } from "../model/store.ts";
import type { Usage } from "../model/usage.ts";
import { createMemoryStore } from "../stores/memory.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FILE = Array.from({ length: 120 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const readTalk = read(read(user(EMPTY_TALK, "please fix a.ts"), "r0", "/w/z.ts", FILE), "r1", "/w/a.ts", FILE);
const editTalk = edit(readTalk, "e1", "/w/a.ts");

function open(options: TestKeeperOptions = {}, provider = createCachedProvider()) {
  const keeper = createTestKeeper(options);
  const send = (talk: Talk, sent: ExchangeOptions, body: BodyOptions = {}) =>
    exchange({ keeper, provider }, bodyOf(talk, body), sent);
  return { keeper, provider, send, missed: () => keeper.stats().predictions.missed };
}

type Session = ReturnType<typeof open>;

/** The stale read in a request of so many steps. */
async function readIn(session: Session, steps: number, sent: ExchangeOptions, body: BodyOptions = {}): Promise<string> {
  return String(resultIn(await session.send(idle(editTalk, "i", steps), sent, body), "r1"));
}

async function begin(session: Session, told?: ExchangeOptions["told"], body: BodyOptions = {}): Promise<void> {
  const talks = [readTalk, editTalk, idle(editTalk, "i", 1), idle(editTalk, "i", 2)];
  for (const [index, talk] of talks.entries()) {
    await session.send(talk, { atMs: index * MINUTE, ...(told === undefined ? {} : { told }) }, body);
  }
}

describe("a clock", () => {
  it("that jumps forward finds a cache that should be gone, and nothing leaves at the next such moment", async () => {
    const session = open();
    const before = idle(readTalk, "i", 1);
    await session.send(readTalk, { atMs: 0 });
    await session.send(before, { atMs: MINUTE });
    await session.send(idle(readTalk, "i", 2), { atMs: HOUR, providerAtMs: 2 * MINUTE });
    expect(session.missed()).toEqual({ "hidden request": 1 });
    const stale = edit(idle(readTalk, "i", 2), "e1", "/w/a.ts");
    await session.send(stale, { atMs: HOUR + MINUTE, providerAtMs: 3 * MINUTE });
    const last = await session.send(idle(stale, "j", 1), { atMs: 3 * HOUR, providerAtMs: 4 * MINUTE });
    expect(resultIn(last, "r1")).not.toContain("[ebb ");
  });

  it("that jumps backward makes nothing colder, and what is gone is noticed", async () => {
    const session = open();
    const talks = [readTalk, editTalk, idle(editTalk, "i", 1)];
    for (const [index, talk] of talks.entries()) await session.send(talk, { atMs: HOUR + index * MINUTE });
    expect(await readIn(session, 2, { atMs: 0, providerAtMs: 2 * HOUR })).not.toContain("[ebb ");
    expect(session.missed()).toEqual({ unknown: 1 });
    expect(await readIn(session, 3, { atMs: 3 * HOUR })).not.toContain("[ebb ");
  });
});

/** What a store has, with nothing in the place of the record that a disk lost. */
function without(store: Store, lostSeq: number | undefined): Store {
  const nothing: LedgerEntry = { type: "item-recalled", address: "", range: null, pattern: null, by: "user" };
  const loadLineage: Store["loadLineage"] = async (tenant, lineage) =>
    (await store.loadLineage(tenant, lineage)).map((record) =>
      record.seq === lostSeq ? { ...record, entry: nothing } : record,
    );
  return { ...store, loadLineage };
}

describe("a ledger that lost a row", () => {
  it.each([
    ["the record of the last request", "request-sent", { "hidden request": 1 }],
    ["the record of the last response", "response-seen", {}],
  ] as const)("%s: nothing holds that it would have proved", async (_, type, missed) => {
    const store = createMemoryStore({});
    const session = open({ store });
    await begin(session);
    const more = read(idle(editTalk, "i", 2), "r2", "/w/b.ts", FILE);
    await session.send(more, { atMs: 4 * MINUTE });
    const records = await store.loadLineage("local", (await store.listLineages("local", 1))[0]?.lineage ?? "");
    const lostSeq = records.findLast(({ entry }) => entry.type === type)?.seq;
    const next = open({ store: without(store, lostSeq), idPrefix: "b" }, session.provider);
    const warm = await next.send(idle(more, "j", 1), { atMs: 5 * MINUTE });
    expect(resultIn(warm, "r1")).not.toContain("[ebb ");
    expect(next.keeper.stats().predictions.held).toBe(0);
    expect(next.missed()).toEqual(missed);
  });

  it("whole: the conversation goes on as one first seen in the middle", async () => {
    const store = createMemoryStore({});
    const session = open({ store });
    await begin(session);
    const next = open({ store: createMemoryStore({}), idPrefix: "b" }, session.provider);
    expect(await readIn(next, 3, { atMs: 4 * MINUTE })).not.toContain("[ebb ");
    expect(next.keeper.stats().predictions).toEqual({ held: 0, missed: {}, unjudged: 1, none_reported: 0 });
  });
});

describe("a provider that tells nothing of its cache", () => {
  const silent = ({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens }: Usage): Usage => ({
    inputTokens: inputTokens + cacheReadTokens + cacheWriteTokens,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens,
  });

  it("is recognised: no prediction is judged, and nothing acts on what it may hold", async () => {
    const session = open();
    await begin(session, silent);
    expect(session.keeper.stats().predictions).toEqual({ held: 0, missed: {}, unjudged: 0, none_reported: 4 });
    expect(await readIn(session, 3, { atMs: HOUR, told: silent })).not.toContain("[ebb ");
  });

  it("and begins to: then what it tells is judged", async () => {
    const session = open();
    await begin(session, silent);
    await readIn(session, 3, { atMs: 4 * MINUTE });
    await readIn(session, 4, { atMs: 5 * MINUTE });
    expect(session.keeper.stats().predictions).toEqual({ held: 1, missed: {}, unjudged: 1, none_reported: 4 });
    expect(await readIn(session, 5, { atMs: HOUR })).toContain("[ebb ");
  });

  it("by telling no usage at all leaves the cache to the clock", async () => {
    const session = open();
    await begin(session, () => null);
    expect(session.keeper.stats().predictions).toMatchObject({ held: 0, unjudged: 4 });
    expect(await readIn(session, 3, { atMs: HOUR, told: () => null })).toContain("[ebb ");
  });
});

describe("a model without a price on record", () => {
  it("makes the net cost unknown as soon as something left, and is named", async () => {
    const session = open();
    const body = { model: "mine-1" };
    await begin(session, undefined, body);
    expect(session.keeper.stats().figures.net_cost_usd).toBe(0);
    expect(await readIn(session, 3, { atMs: 2 * HOUR }, body)).toContain("[ebb ");
    expect(session.keeper.stats().figures.net_cost_usd).toBeNull();
    expect(session.keeper.stats().unknown_models).toEqual({ "mine-1": 5 });
  });
});
