import { describe, expect, it } from "vitest";
import { bash, bodyOf, EMPTY_TALK, edit, idle, read, type Talk, user } from "../../test/support/conversation.ts";
import { createTestKeeper, prepare, type TestKeeperOptions } from "../../test/support/keeper.ts";
import type { CacheRules, ModelFacts, Prices } from "../model/cache.ts";
import type { JsonObject } from "../model/json.ts";
import type { Provider } from "../model/ports.ts";
import type { Usage } from "../model/usage.ts";
import { MEDIA_FACTS } from "../providers/media-facts.ts";
import { serveUnder } from "../replay/provider-cache.ts";
import { emptyCache, type PromptCache } from "../replay/simulated/cache.ts";
import { byteCounter, promptOf } from "../replay/simulated/prompt.ts";

const FILE = Array.from({ length: 400 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const MINUTE = 60_000;
const DAY = 86_400_000;
const PRICES: Prices = { input: 1, cacheWrite5m: 1, cacheWrite1h: 1, cacheRead: 0.1, output: 5 };

function provider(cache: CacheRules, prices: Prices = PRICES): Provider {
  const facts: ModelFacts = {
    isKnown: true,
    thinkingBinding: "none",
    keepsThinking: true,
    cache,
    ttlDefaultMs: DAY,
    cacheTokensMin: 1_024,
    prices: [{ fromMs: 0, promptTokensOver: 0, prices }],
    windowTokens: null,
    deletesInCache: false,
    media: MEDIA_FACTS,
  };
  return { name: "own", originDefault: "http://127.0.0.1", modelFacts: () => facts };
}

const STEPS = { kind: "prefix", stepTokens: 128 } as const;
const UNITS = { kind: "units" } as const;

/** A conversation of requests without any breakpoint, in front of a provider that caches by itself and tells of reads alone. */
function stage(cache: CacheRules, options: TestKeeperOptions = {}, prices: Prices = PRICES) {
  const own = provider(cache, prices);
  const keeper = createTestKeeper({ ...options, provider: own });
  let held: PromptCache = emptyCache;
  return {
    keeper,
    async send(talk: Talk, atMs: number) {
      const body = withoutBreakpoints(bodyOf(talk));
      const prepared = await prepare(keeper, body, { atMs });
      if (prepared.kind === "refuse") throw new Error(prepared.words);
      const sent = Buffer.concat(prepared.body).toString();
      const prompt = promptOf(JSON.parse(sent) as JsonObject, {
        traits: { allowsSystemMessages: true, keepsThinking: true },
        counter: byteCounter,
        isDropped: () => false,
      });
      const served = serveUnder(own.modelFacts(null), held, prompt, atMs);
      held = served.cache;
      const { cacheReadTokens } = served.bill;
      const inputTokens = prompt.tokens - cacheReadTokens;
      const usage: Usage = { inputTokens, cacheReadTokens, cacheWriteTokens: 0, outputTokens: 9 };
      const facts = { messageId: null, stopReason: null, errorType: null, calls: [], isComplete: true };
      await prepared.finish({ ...facts, usage }, 200);
      return { fresh: prepared.plan?.fresh ?? [], declines: prepared.plan?.declines ?? [], sent, usage };
    },
  };
}

function withoutBreakpoints(body: Uint8Array): Uint8Array {
  return Buffer.from(
    JSON.stringify(JSON.parse(Buffer.from(body).toString()), (key, value) =>
      key === "cache_control" ? undefined : value,
    ),
  );
}

const asked = user(EMPTY_TALK, "go");
const opened = bash(asked, "b1", "ls", FILE);
const readA = read(opened, "r1", "/w/a.ts", FILE);
const readB = read(readA, "r2", "/w/b.ts", FILE);
const stale = edit(readB, "e1", "/w/a.ts");

describe.each([STEPS, UNITS])("a conversation with a provider that caches by itself (%j)", (cache) => {
  it("is warm without a breakpoint: nothing that was sent leaves for free", async () => {
    const { keeper, send } = stage(cache);
    for (const [at, talk] of [readA, readB, stale, idle(stale, "i", 2)].entries()) {
      const { fresh, declines } = await send(talk, at * MINUTE);
      expect(fresh).toEqual([]);
      if (at > 1) expect(declines.map(({ reason }) => reason)).toContain("cached_prefix");
    }
    const { law_violations, errors } = keeper.stats();
    expect({ law_violations, errors }).toEqual({ law_violations: 0, errors: [] });
  });

  it("is cold once the lifetime of the model is over, and not an hour after the last request", async () => {
    const { send } = stage(cache);
    for (const [at, talk] of [readA, readB, stale].entries()) await send(talk, at * MINUTE);
    const next = idle(stale, "i", 1);
    expect((await send(next, 62 * MINUTE)).fresh).toEqual([]);
    const late = await send(idle(next, "j", 1), 62 * MINUTE + DAY + 2 * MINUTE);
    expect(late.fresh).toMatchObject([{ reason: "stale", moment: "cold" }]);
  });

  it("is predicted: what it reads is what it was to read", async () => {
    const { keeper, send } = stage(cache);
    const talks = [opened, readA, readB, stale, idle(stale, "i", 1), idle(stale, "i", 2)];
    const reads: number[] = [];
    for (const [at, talk] of talks.entries()) reads.push((await send(talk, at * MINUTE)).usage.cacheReadTokens);
    expect(reads[0]).toBe(0);
    expect(reads.slice(1).every((tokens) => tokens > 1_024)).toBe(true);
    expect(keeper.stats().predictions).toMatchObject({ held: 5, missed: {}, none_reported: 0 });
  });

  it("lets a stale read leave as soon as that pays, and what stands in front stays read", async () => {
    const { keeper, send } = stage(cache, { paying: { pays: true } }, { ...PRICES, cacheRead: 0.5 });
    const talks = [
      asked,
      opened,
      readA,
      readB,
      stale,
      ...Array.from({ length: 12 }, (_, at) => idle(stale, "i", at + 1)),
    ];
    const left: string[] = [];
    for (const [at, talk] of talks.entries()) {
      const { fresh, usage } = await send(talk, at * MINUTE);
      left.push(...fresh.map(({ moment }) => moment));
      if (fresh.length > 0) expect(usage.cacheReadTokens).toBeGreaterThan(1_024);
    }
    expect(left).toEqual(["pays"]);
    expect(keeper.stats()).toMatchObject({ law_violations: 0, predictions: { missed: {} } });
  });
});

it("a provider that tells nothing of its cache is trusted with nothing, and leaving is told by what its models keep", async () => {
  const own = provider(STEPS);
  const keeper = createTestKeeper({ provider: own, idPrefix: "q" });
  const usage = { inputTokens: 20_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 9 };
  const facts = { messageId: null, stopReason: null, errorType: null, calls: [], isComplete: true, usage };
  let fresh: readonly unknown[] = [];
  for (const [at, talk] of [readA, readB, stale, idle(stale, "i", 1), idle(stale, "i", 2)].entries()) {
    const atMs = at < 4 ? at * MINUTE : 3 * DAY;
    const prepared = await prepare(keeper, withoutBreakpoints(bodyOf(talk)), { atMs });
    if (prepared.kind === "refuse") throw new Error(prepared.words);
    fresh = prepared.plan?.fresh ?? [];
    await prepared.finish(facts, 200);
  }
  expect(fresh).toEqual([]);
  expect(keeper.stats().predictions).toMatchObject({ held: 0, missed: {}, none_reported: 3 });
  const answer = await keeper.eject({ tenant: "local", name: null, atMs: 3 * DAY });
  expect(answer).toMatchObject({ ok: true, leaving: { changes: [], costUsd: 0 } });
});
