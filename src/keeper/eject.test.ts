import { describe, expect, it } from "vitest";
import { createCachedProvider, exchange } from "../../test/support/cached-provider.ts";
import {
  type BodyOptions,
  bodyOf,
  call,
  EMPTY_TALK,
  idle,
  read,
  result,
  type Talk,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper } from "../../test/support/keeper.ts";
import { order, release, SUMMARY } from "../../test/support/orders.ts";
import { SIGNING_MODEL, signedTalk } from "../../test/support/signing-provider.ts";
import { ejectLines, waysOf } from "../cli/eject-lines.ts";
import { anthropicProvider } from "../providers/anthropic.ts";
import type { EjectAnswer } from "./eject.ts";

const LARGE = Array.from({ length: 400 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join(
  "\n",
);
const SMALL = LARGE.slice(0, 9_000);
const BOUND = { lines: 300, bytes: 262_144 };
const MINUTE = 60_000;
const DAY = 86_400_000;

type Kept = ReturnType<typeof createTestKeeper>;

async function told(keeper: Kept, name: string | null = null, atMs = 5 * MINUTE) {
  const answer: EjectAnswer = await keeper.eject({ tenant: "local", name, atMs });
  if (!answer.ok) throw new Error(answer.words);
  return answer;
}

/** A conversation whose third result left at first send, and two steps behind it. */
const first = read(user(EMPTY_TALK, "go"), "r0", "/w/small.ts", SMALL);
const second = read(first, "r2", "/w/other.ts", SMALL);
const large = read(second, "r1", "/w/large.ts", LARGE);
const talks = [first, second, large, idle(large, "a", 1), idle(large, "a", 2)];

async function played(options: { body?: BodyOptions; upTo?: number; sessionId?: string } = {}) {
  const keeper = createTestKeeper({ bound: BOUND });
  const provider = createCachedProvider();
  const send = (talk: Talk, atMs: number, sessionId = options.sessionId ?? "session") =>
    exchange({ keeper, provider }, bodyOf(talk, options.body), { atMs, sessionId });
  for (const [step, talk] of talks.slice(0, options.upTo ?? talks.length).entries())
    await send(talk, (step + 1) * MINUTE);
  return { keeper, provider, send };
}

describe("what leaving costs", () => {
  it("is what a provider with a cache charges for the history as the client has it", async () => {
    const { keeper, provider } = await played();
    const { leaving, returning } = await told(keeper);
    expect(returning).toMatchObject([{ label: "Read /w/large.ts lines 1-400", moment: "first-send" }]);
    const next = bodyOf(idle(large, "a", 3));
    const usage = provider.look(Buffer.from(next).toString(), 5 * MINUTE);
    expect(Math.abs(usage.cacheWriteTokens - (leaving.rewrittenTokens ?? 0))).toBeLessThan(
      usage.cacheWriteTokens * 0.1,
    );
    expect(leaving).toMatchObject({ isCold: false, thinking: "fits", headTokens: null });
    expect(leaving.costUsd).toBeGreaterThan(leaving.laterUsd ?? 0);
    expect(leaving.laterUsd).toBeGreaterThan(0);
  });

  it("keeps no prefix that is too short to be cached, and none that no breakpoint finds any more", async () => {
    const keeper = createTestKeeper({ bound: BOUND });
    const provider = createCachedProvider();
    const begun = idle(user(EMPTY_TALK, "go"), "i", 1);
    const grown = read(begun, "r1", "/w/large.ts", LARGE);
    for (const [step, talk] of [begun, grown, idle(grown, "a", 1)].entries())
      await exchange({ keeper, provider }, bodyOf(talk), { atMs: step * MINUTE });
    const short = (await told(keeper)).leaving;
    expect(short.rewrittenTokens).toBe(short.tokensWithout);

    const { keeper: long, send } = await played();
    for (let step = 3; step < 16; step++) await send(idle(large, "a", step), 5 * MINUTE + step);
    const { leaving } = await told(long, null, 6 * MINUTE);
    expect(leaving.rewrittenTokens).toBe(leaving.tokensWithout);
  });

  it("is little more than staying once the cache is cold", async () => {
    const { keeper } = await played();
    const warm = (await told(keeper)).leaving;
    const { leaving, ...rest } = await told(keeper, null, DAY);
    expect(leaving).toMatchObject({ isCold: true, rewrittenTokens: leaving.tokensWithout });
    expect(leaving.costUsd).toBeLessThan(warm.costUsd ?? 0);
    expect(ejectLines({ leaving, ...rest }).join("\n")).toContain("the cache is cold");
  });

  it("is nothing where nothing was changed, also after the client's own compaction", async () => {
    const one = await played({ upTo: 1 });
    expect((await told(one.keeper)).leaving).toMatchObject({ changes: [], costUsd: 0, rewrittenTokens: 0 });
    const { keeper, send } = await played();
    await send(idle(user(EMPTY_TALK, SUMMARY), "c", 1), 6 * MINUTE);
    expect((await told(keeper)).leaving).toMatchObject({ changes: [], costUsd: 0, rewrittenTokens: 0 });
  });

  it("is unknown where the provider told no usage, and money is where no price is on record", async () => {
    const keeper = createTestKeeper({ bound: BOUND });
    const talk = signedTalk(keeper, { model: "mine-1" });
    talk.talk = large;
    await talk.send(MINUTE);
    const untold = await told(keeper);
    expect(untold.leaving).toMatchObject({ tokensWith: null, rewrittenTokens: null, costUsd: null, laterUsd: null });
    expect(ejectLines(untold).join("\n")).toContain("Cost        not known: the provider told no usage");
    const { keeper: priceless } = await played({ body: { model: "mine-1" } });
    const { leaving } = await told(priceless);
    expect(leaving.costUsd).toBeNull();
    expect(leaving.rewrittenTokens).toBeGreaterThan(0);
  });

  it("says that the model would not take it, where that is so", async () => {
    const windowTokens = 5_000;
    const provider = {
      ...anthropicProvider,
      modelFacts: (model: string | null) => ({ ...anthropicProvider.modelFacts(model), windowTokens }),
    };
    const keeper = createTestKeeper({ bound: BOUND, provider });
    const cached = createCachedProvider();
    for (const [step, talk] of talks.entries())
      await exchange({ keeper, provider: cached }, bodyOf(talk), { atMs: step * MINUTE });
    const answer = await told(keeper);
    expect(answer.leaving.tokensWithout).toBeGreaterThan(windowTokens);
    expect(ejectLines(answer).join("\n")).toContain("MORE than the 5,000 the model takes");
    expect(waysOf(answer).map(({ way }) => way)).not.toContain("leave");
  });

  it("is told without changing anything", async () => {
    const { keeper } = await played();
    const [newest] = await keeper.store.listLineages("local", 1);
    await told(keeper);
    expect(await keeper.store.listLineages("local", 1)).toEqual([newest]);
  });
});

describe("the conversation that is left", () => {
  it("is that of a session, a lineage, or the one used last", async () => {
    const { keeper, send } = await played();
    const { lineage } = await told(keeper);
    await send(idle(user(EMPTY_TALK, "other"), "o", 1), 9 * MINUTE, "two");
    expect((await told(keeper)).session).toBe("two");
    expect(await told(keeper, "session")).toMatchObject({ lineage, returning: [{ turn: 1 }] });
    expect(await told(keeper, lineage)).toMatchObject({ session: "session", lineage });
    const unknown = await keeper.eject({ tenant: "local", name: "nobody", atMs: 0 });
    expect(unknown).toMatchObject({ ok: false, failure: "unknown session" });
  });

  it("has what it took over from the one it was forked from", async () => {
    const { keeper, send } = await played({ body: { model: SIGNING_MODEL } });
    await send(idle(large, "b", 1), 6 * MINUTE, "fork");
    const { leaving, returning, session } = await told(keeper, "fork", 7 * MINUTE);
    expect([session, returning.length]).toEqual(["fork", 1]);
    const origin = await told(keeper, "session", 7 * MINUTE);
    expect(leaving.changes[0]).toMatchObject({ turn: 1, step: origin.leaving.changes[0]?.step });
    const before = origin.leaving.changes[0]?.tokensBefore ?? Number.NaN;
    expect(Math.abs((leaving.changes[0]?.tokensBefore ?? 0) - before)).toBeLessThan(before * 0.05);
    await send(read(first, "r9", "/w/b.ts", SMALL), 8 * MINUTE, "early");
    expect((await told(keeper, "early", 9 * MINUTE)).leaving.changes).toEqual([]);
  });
});

describe("signed thinking", () => {
  async function signed() {
    const keeper = createTestKeeper({ bound: BOUND });
    const talk = signedTalk(keeper, { thinking: { type: "adaptive" } });
    talk.talk = user(EMPTY_TALK, "go");
    await talk.send(MINUTE);
    talk.answer("before", call("r1", "Read", { file_path: "/w/large.ts" }));
    return { keeper, talk };
  }

  it("that was made before the change fits; what came since may not, and does not once it is sent", async () => {
    const { keeper, talk } = await signed();
    talk.talk = { messages: [...talk.talk.messages, { role: "user", content: [result("r1", LARGE)] }] };
    await talk.send(2 * MINUTE);
    expect((await told(keeper)).leaving.thinking).toBe("may be refused");
    talk.answer("after", call("b1", "Bash", { command: "true" }));
    talk.talk = { messages: [...talk.talk.messages, { role: "user", content: [result("b1", "ok")] }] };
    await talk.send(3 * MINUTE);
    const answer = await told(keeper);
    expect(answer.leaving.thinking).toBe("refused");
    expect(waysOf(answer).map(({ way }) => way)).toContain("drop thinking");
  });

  it("binds no model that signs nothing over what stands before it", async () => {
    const { keeper } = await played();
    expect(await order(keeper, release("r0"))).toMatchObject({ ok: true });
    expect((await told(keeper)).leaving.thinking).toBe("fits");
  });
});
