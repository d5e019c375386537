import { describe, expect, it } from "vitest";
import { bash, bodyOf, EMPTY_TALK, edit, idle, read, type Talk, user } from "../../test/support/conversation.ts";
import { createTestKeeper, prepare, type TestKeeperOptions } from "../../test/support/keeper.ts";
import type { PayingOptions } from "../engine/waiting.ts";
import type { Usage } from "../model/usage.ts";
import type { Keeper } from "./contract.ts";

const FILE = Array.from({ length: 400 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const SECOND = 1_000;
const PAYS = { pays: true } as const;

/** A conversation in which a long read becomes stale, with twice its length behind it, and that goes on for fifty steps. */
function talk(): Talk {
  const start = bash(user(EMPTY_TALK, "please fix a.ts"), "b1", "ls", "a.ts");
  const readTalk = read(idle(start, "i", 5), "r1", "/w/a.ts", FILE);
  const others = read(read(readTalk, "r2", "/w/b.ts", FILE), "r3", "/w/c.ts", FILE);
  return idle(edit(others, "e1", "/w/a.ts"), "j", 50);
}

/** Every request of a talk, one after each answer, ten seconds apart. */
function* requestsOf({ messages }: Talk): Generator<Talk> {
  for (let end = 1; end <= messages.length; end += 2) yield { messages: messages.slice(0, end) };
}

interface Seen {
  readonly moments: readonly string[];
  readonly words: readonly string[];
  readonly bodies: readonly string[];
}

async function play(keeper: Keeper, whole: Talk, usage: Usage | null = null, model = "claude-opus-4-8"): Promise<Seen> {
  const seen = { moments: [] as string[], words: [] as string[], bodies: [] as string[] };
  let atMs = 0;
  for (const one of requestsOf(whole)) {
    atMs += 10 * SECOND;
    const prepared = await prepare(keeper, bodyOf(one, { model }), { atMs });
    if (prepared.kind !== "forward") throw new Error(prepared.words);
    seen.moments.push(...(prepared.plan?.fresh ?? []).map(({ moment }) => moment));
    seen.words.push(...(prepared.plan?.declines ?? []).map(({ reason, words }) => `${reason}: ${words}`));
    seen.bodies.push(Buffer.concat(prepared.body).toString());
    await prepared.finish(
      { usage, messageId: null, stopReason: null, errorType: null, calls: [], isComplete: true },
      200,
    );
  }
  return seen;
}

function keeperWith(paying: Partial<PayingOptions>, more: TestKeeperOptions = {}) {
  return createTestKeeper({ paying, ...more });
}

const breakpoints = (body: string) => body.split('"cache_control"').length - 1;

describe("a stale read in a warm cache", () => {
  it("waits until a batch pays, and says in money why it waits", async () => {
    const seen = await play(keeperWith(PAYS), talk());
    expect(seen.moments).toEqual(["pays"]);
    const waiting = seen.words.filter((words) => words.startsWith("does_not_pay"));
    expect(waiting[0]).toMatch(
      /^does_not_pay: would re-write [\d,]+ tokens \(\$[\d.]+\) to free [\d,]+; pays after [\d,]+ more requests, \d+ expected$/,
    );
  });

  it("stays where nothing pays, and by the seed's name where paying is off", async () => {
    const seen = await play(keeperWith({}), talk());
    expect(seen.moments).toEqual([]);
    expect(seen.words.some((words) => words.startsWith("cached_prefix"))).toBe(true);
  });

  it("leaves behind a mark of one breakpoint, put in front of it one request earlier", async () => {
    const seen = await play(keeperWith(PAYS), talk());
    const counts = seen.bodies.map(breakpoints);
    const usual = counts[0] ?? 0;
    const marked = counts.flatMap((count, index) => (count > usual ? [index] : []));
    const left = seen.bodies.findIndex((body) => body.includes("[ebb "));
    expect(marked.at(-1)).toBe(left);
    expect(Math.max(...counts)).toBeLessThanOrEqual(4);
  });

  it("puts no breakpoint where it may not", async () => {
    const seen = await play(keeperWith({ ...PAYS, marks: false }), talk());
    expect(new Set(seen.bodies.map(breakpoints)).size).toBe(1);
  });

  it("leaves earlier where stale tokens have a price of their own", async () => {
    const stepOf = async (paying: Partial<PayingOptions>) =>
      (await play(keeperWith(paying), talk())).bodies.findIndex((body) => body.includes("[ebb "));
    expect(await stepOf({ ...PAYS, attentionPrice: 20 })).toBeLessThan(await stepOf(PAYS));
  });

  it.each([
    ["keeps what stands in front of it, with a breakpoint of Ebb", true],
    ["has none where none may be put", false],
  ])("that is let go on purpose %s", async (_, marks) => {
    const keeper = keeperWith({ marks });
    const { messages } = talk();
    await play(keeper, { messages: messages.slice(0, 45) });
    const released = await keeper.decide(
      { verb: "release", targets: { ids: ["r1"], paths: [], latest: null }, reason: "done" },
      { tenant: "local", lineage: null, sessionId: "session", by: "user", atMs: 231 * SECOND },
    );
    expect(released.ok).toBe(true);
    const next = { messages: messages.slice(0, 47) };
    const prepared = await prepare(keeper, bodyOf(next, { model: "claude-opus-4-8" }), { atMs: 240 * SECOND });
    if (prepared.kind !== "forward") throw new Error(prepared.words);
    expect(prepared.plan?.fresh.map(({ moment }) => moment)).toEqual(["deliberate"]);
    const usual = breakpoints(Buffer.from(bodyOf(next)).toString());
    expect(breakpoints(Buffer.concat(prepared.body).toString()) - usual).toBe(marks ? 1 : 0);
  });

  it("leaves where the window is nearly full", async () => {
    const seen = await play(keeperWith({ pressureTokens: 19_500 }), talk());
    expect(seen.moments).toEqual(["pressure"]);
  });

  it("leaves where the window is nearly full, whatever the provider reports of its cache", async () => {
    const inputTokens = 181_000;
    const usages = [null, { inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 }];
    const moments = usages.map(
      async (usage) => (await play(keeperWith({}), talk(), usage, "claude-sonnet-4-5")).moments,
    );
    expect(await Promise.all(moments)).toEqual([[], ["pressure"]]);
  });

  it("says why it leaves, not why it waited", async () => {
    const keeper = keeperWith({});
    const twice = read(read(user(EMPTY_TALK, "go"), "r1", "/w/a.ts", FILE), "r2", "/w/a.ts", FILE);
    const edited = edit(idle(twice, "i", 1), "e1", "/w/a.ts");
    for (const [index, one] of [...requestsOf(edited)].entries()) {
      await prepare(keeper, bodyOf(one), { atMs: index * SECOND });
    }
    const prepared = await prepare(keeper, bodyOf(idle(edited, "j", 1)), { atMs: 3_600 * SECOND });
    if (prepared.kind !== "forward") throw new Error(prepared.words);
    const [first] = prepared.plan?.fresh ?? [];
    expect(first).toMatchObject({ moment: "cold", reason: "stale" });
    expect(first?.marker).toContain("modified later");
  });
});
