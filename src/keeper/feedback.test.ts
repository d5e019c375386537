import { describe, expect, it } from "vitest";
import { createCachedProvider, type ExchangeOptions, exchange } from "../../test/support/cached-provider.ts";
import {
  assistant,
  type BodyOptions,
  bash,
  bodyOf,
  EMPTY_TALK,
  edit,
  idle,
  read,
  type Talk,
  text,
  thinking,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, prepare, resultIn, type TestKeeperOptions } from "../../test/support/keeper.ts";
import { createMemoryStore } from "../stores/memory.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const FILE = Array.from({ length: 120 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const OTHER = { model: "claude-opus-4-5" };
const asked = user(EMPTY_TALK, "please fix a.ts");
const opened = read(asked, "r0", "/w/z.ts", FILE);
const readTalk = read(opened, "r1", "/w/a.ts", FILE);
const editTalk = edit(readTalk, "e1", "/w/a.ts");

function open(options: TestKeeperOptions = {}, provider = createCachedProvider()) {
  const keeper = createTestKeeper(options);
  const send = (talk: Talk, sent: ExchangeOptions, body: BodyOptions = {}) =>
    exchange({ keeper, provider }, bodyOf(talk, body), sent);
  return { keeper, provider, send, predictions: () => keeper.stats().predictions };
}

type Session = ReturnType<typeof open>;

/** Four requests a minute apart up to the edit that makes the read stale, and one more. */
async function begin({ send }: Session): Promise<void> {
  const talks = [asked, opened, readTalk, editTalk, idle(editTalk, "i", 1)];
  for (const [index, talk] of talks.entries()) await send(talk, { atMs: index * MINUTE });
}

describe("predictions of what is read", () => {
  it("hold in a conversation that only grows, from the second prefix that is long enough on", async () => {
    const session = open();
    await begin(session);
    expect(session.predictions()).toEqual({ held: 3, missed: {}, unjudged: 2, none_reported: 0 });
  });

  it("hold over a restart", async () => {
    const store = createMemoryStore({});
    const session = open({ store });
    await begin(session);
    const next = open({ store, idPrefix: "b" }, session.provider);
    await next.send(idle(editTalk, "i", 2), { atMs: 5 * MINUTE });
    expect(next.predictions()).toEqual({ held: 1, missed: {}, unjudged: 0, none_reported: 0 });
  });

  it("hold from model A to B and back to A, and where something left for it", async () => {
    const session = open();
    await begin(session);
    for (const [index, body] of [OTHER, {}, OTHER, {}].entries()) {
      await session.send(idle(editTalk, "i", 2 + index), { atMs: (5 + index) * MINUTE }, body);
    }
    const { missed } = session.predictions();
    expect(missed).toEqual({});
  });

  it("hold where what is stale leaves on a cold cache, and afterwards", async () => {
    const session = open();
    await begin(session);
    const left = await session.send(idle(editTalk, "i", 2), { atMs: 30 * MINUTE });
    expect(resultIn(left, "r1")).toContain("[ebb ");
    for (let step = 3; step < 6; step++) await session.send(idle(editTalk, "i", step), { atMs: (28 + step) * MINUTE });
    expect(session.predictions()).toEqual({ held: 6, missed: {}, unjudged: 3, none_reported: 0 });
    expect(session.keeper.stats().figures.net_cost_usd).toBeLessThan(0);
  });

  it("are not made of a beginning that a fork kept warm", async () => {
    const session = open();
    await session.send(readTalk, { atMs: 0 });
    await session.send(idle(readTalk, "i", 1), { atMs: MINUTE });
    await session.send(bash(readTalk, "x", "ls", "x"), { atMs: 4 * MINUTE });
    const { held } = session.predictions();
    await session.send(idle(readTalk, "i", 2), { atMs: 8 * MINUTE });
    expect(session.predictions()).toEqual({ held, missed: {}, unjudged: 2, none_reported: 0 });
  });

  it("are not judged where the response tells no usage", async () => {
    const session = open();
    await begin(session);
    await session.send(idle(editTalk, "i", 2), { atMs: 5 * MINUTE, told: () => null });
    expect(session.predictions().unjudged).toBe(3);
  });
});

describe("a miss that the clock or the client explains", () => {
  it("at the end of a lifetime is the clock's, and what waits still leaves once the cache is cold", async () => {
    const session = open();
    await begin(session);
    const atMs = 4 * MINUTE + 299 * SECOND;
    await session.send(idle(editTalk, "i", 2), { atMs, providerAtMs: atMs + 2 * SECOND });
    expect(session.predictions().missed).toEqual({ ttl: 1 });
    const later = await session.send(idle(editTalk, "i", 3), { atMs: 60 * MINUTE });
    expect(resultIn(later, "r1")).toContain("[ebb ");
  });

  it("where the provider forgets thinking as a person speaks is the thinking's", async () => {
    const session = open({}, createCachedProvider(false));
    const thought = assistant(readTalk, thinking("hm"), text("done"));
    await session.send(readTalk, { atMs: 0 });
    const spoken = read(user(thought, "go on"), "r2", "/w/b.ts", FILE);
    await session.send(user(thought, "go on"), { atMs: MINUTE });
    await session.send(spoken, { atMs: 2 * MINUTE });
    await session.send(user(assistant(spoken, text("and?")), "more"), { atMs: 3 * MINUTE });
    expect(Object.keys(session.predictions().missed)).not.toContain("unknown");
  });
});

/** True where the stale read leaves in a request an hour later, with so many warm ones before. */
async function leavesAfter(session: Session, heldBefore: number): Promise<boolean> {
  for (let step = 0; step < heldBefore; step++) {
    await session.send(idle(editTalk, "i", 3 + step), { atMs: (6 + step) * MINUTE });
  }
  return leavesLater(session, 3 + heldBefore, 60 * MINUTE);
}

async function leavesLater({ send }: Session, steps: number, atMs: number): Promise<boolean> {
  return String(resultIn(await send(idle(editTalk, "i", steps), { atMs }), "r1")).includes("[ebb ");
}

describe("a miss that nothing explains", () => {
  it.each([
    [0, false],
    [1, false],
    [2, true],
  ])("stops all that acts on the cache until two predictions held: %i held, leaves: %s", async (held, leaves) => {
    const session = open();
    await begin(session);
    session.provider.forget();
    await session.send(idle(editTalk, "i", 2), { atMs: 5 * MINUTE });
    expect(session.predictions().missed).toEqual({ unknown: 1 });
    expect(await leavesAfter(session, held)).toBe(leaves);
  });

  it("says why what waits still waits", async () => {
    const session = open();
    await begin(session);
    session.provider.forget();
    await session.send(idle(editTalk, "i", 2), { atMs: 5 * MINUTE });
    const words: string[] = [];
    const prepared = await prepare(session.keeper, bodyOf(idle(editTalk, "i", 3)), { atMs: 60 * MINUTE });
    if (prepared.kind === "forward") words.push(...(prepared.plan?.declines ?? []).map((decline) => decline.words));
    expect(words.join()).toContain("did not read what was predicted");
  });

  it("is remembered over a restart, and by a fork", async () => {
    const store = createMemoryStore({});
    const session = open({ store });
    await begin(session);
    session.provider.forget();
    await session.send(idle(editTalk, "i", 2), { atMs: 5 * MINUTE });
    expect(await leavesLater(open({ store, idPrefix: "b" }, session.provider), 3, 60 * MINUTE)).toBe(false);
    const fork = await session.send(bash(idle(editTalk, "i", 1), "x", "ls", "x"), { atMs: 120 * MINUTE });
    expect(resultIn(fork, "r1")).not.toContain("[ebb ");
  });

  it("is found where a hidden request kept the cache warm", async () => {
    const session = open();
    await session.send(readTalk, { atMs: 0 });
    await session.send(idle(readTalk, "i", 1), { atMs: MINUTE });
    session.provider.answer(Buffer.from(bodyOf(idle(readTalk, "i", 1))).toString(), 5 * MINUTE);
    await session.send(idle(readTalk, "i", 2), { atMs: 8 * MINUTE });
    expect(session.predictions().missed).toEqual({ "hidden request": 1 });
  });
});
