import { describe, expect, it } from "vitest";
import {
  assistant,
  bash,
  bodyOf,
  EMPTY_TALK,
  idle,
  read,
  type Talk,
  text,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn, send, type TestKeeperOptions } from "../../test/support/keeper.ts";
import {
  CONTEXT,
  declare,
  FILE,
  FOREVER,
  order,
  release,
  SUMMARY,
  scope,
  steps,
  turns,
  undeclare,
} from "../../test/support/orders.ts";
import type { Keeper } from "./contract.ts";
import type { Lifetime } from "./order.ts";

const start = read(user(EMPTY_TALK, "look"), "r1", "/w/a.ts", FILE);
const COLD = 600_000;
const goOn = (talk: Talk, words: string) => user(assistant(talk, text("ok")), words);

/** Whether `r1` leaves at the next cold moment, after `talk` was sent as well. */
async function leavesAfter(keeper: Keeper, talk: Talk, options: { readonly agentId?: string } = {}): Promise<boolean> {
  await send(keeper, bodyOf(talk), { atMs: 1_000, ...options });
  const cold = await send(keeper, bodyOf(talk), { atMs: COLD, ...options });
  return String(resultIn(cold, "r1")).startsWith("[ebb ");
}

async function held(lifetime: Lifetime, options: TestKeeperOptions & { readonly agentId?: string } = {}) {
  const keeper = createTestKeeper(options);
  const { agentId = null } = options;
  await send(keeper, bodyOf(start), { atMs: 0, agentId });
  expect(await order(keeper, declare("hold", { ids: ["r1"] }, lifetime))).toMatchObject({ ok: true });
  return keeper;
}

const turnsLater = (count: number) => Array.from({ length: count }).reduce<Talk>((talk) => goOn(talk, "more"), start);
const stepsLater = (count: number) => idle(start, "i", count);

describe("a declared lifetime", () => {
  it.each([
    ["0 turns, in the same turn", turns(0), stepsLater(3), false],
    ["0 turns, one turn later", turns(0), turnsLater(1), true],
    ["2 turns, exactly on its last turn", turns(2), turnsLater(2), false],
    ["2 turns, one turn later", turns(2), turnsLater(3), true],
    ["0 steps, in the same step", steps(0), start, false],
    ["0 steps, one step later", steps(0), stepsLater(1), true],
    ["3 steps, exactly on its last step", steps(3), stepsLater(3), false],
    ["3 steps, one step later", steps(3), stepsLater(4), true],
    ["for good, however late", FOREVER, stepsLater(40), false],
    ["a scope that nobody closed", scope("tmp_fix"), stepsLater(40), false],
  ])("of %s: leaves %s", async (_, lifetime, talk, leaves) => {
    expect(await leavesAfter(await held(lifetime), talk)).toBe(leaves);
  });

  it("that was never declared is none, and one for good outlasts a rule", async () => {
    const rule = { tools: null, kinds: null, fitsPath: null, media: null, turns: null, steps: 1 };
    const absent = createTestKeeper({ lifetimeRules: [rule] });
    await send(absent, bodyOf(start), { atMs: 0 });
    expect(await leavesAfter(absent, stepsLater(3))).toBe(true);
    expect(await leavesAfter(await held(FOREVER, { lifetimeRules: [rule] }), stepsLater(3))).toBe(false);
    expect(await leavesAfter(await held(steps(9), { lifetimeRules: [rule] }), stepsLater(3))).toBe(false);
  });

  it("is the last one that was declared, and none once it is taken back", async () => {
    const longer = await held(steps(0));
    await order(longer, declare("hold", { ids: ["r1"] }, steps(5)));
    expect(await leavesAfter(longer, stepsLater(5))).toBe(false);
    const none = await held(steps(0));
    await order(none, undeclare("unhold", { ids: ["r1"] }));
    expect(await leavesAfter(none, stepsLater(5))).toBe(false);
  });

  it("that is over is over, and one declared after it runs anew", async () => {
    for (const [count, leaves] of [
      [3, false],
      [4, true],
    ] as const) {
      const keeper = await held(steps(0));
      await send(keeper, bodyOf(stepsLater(1)), { atMs: 1_000 });
      await order(keeper, declare("hold", { ids: ["r1"] }, steps(2)));
      expect(await leavesAfter(keeper, stepsLater(count))).toBe(leaves);
    }
  });

  it.each([-1, 1.5, Number.NaN])("of %s turns is refused", async (count) => {
    const keeper = await held(FOREVER);
    expect(await order(keeper, declare("hold", { ids: ["r1"] }, turns(count)))).toMatchObject({ failure: "bad order" });
  });

  it("in turns or steps is refused where no request tells the clock; a scope is not", async () => {
    const keeper = createTestKeeper();
    const opening = { sessionId: "s", agentId: null, parent: null, inherited: [], warmUntilMs: null } as const;
    const opened = { type: "lineage-opened", ...opening, turnsBefore: 7, stepsBefore: 70 } as const;
    await keeper.store.commit({
      tenant: "local",
      lineage: "bare",
      expectedSeq: 0,
      atMs: 1,
      entries: [opened],
      chain: [],
      originals: [],
    });
    const hold = (lifetime: Lifetime) => order(keeper, declare("hold", { paths: ["/w/a.ts"] }, lifetime));
    expect(await hold(turns(2))).toMatchObject({ failure: "bad order" });
    expect(await hold(steps(2))).toMatchObject({ failure: "bad order" });
    expect(await hold(scope("tmp_fix"))).toMatchObject({ ok: true });
  });

  it("goes on after a restart, and its end is recorded once", async () => {
    const keeper = await held(steps(1));
    const restarted = createTestKeeper({ store: keeper.store, idPrefix: "later" });
    await send(restarted, bodyOf(stepsLater(1)), { atMs: 1_000 });
    expect(await leavesAfter(restarted, stepsLater(2))).toBe(true);
    const { lineage = "" } = (await keeper.store.findItems("local", "r1"))[0] ?? {};
    const entries = (await keeper.store.loadLineage("local", lineage)).map(({ entry }) => entry.type);
    expect(entries.filter((type) => type === "item-expired")).toHaveLength(1);
  });

  it("by a rule counts from when the item was acquired, also in a history that takes it over", async () => {
    const rule = { tools: ["Read"], kinds: null, fitsPath: null, media: null, turns: null, steps: 2 };
    for (const sessionId of ["session", "resumed"]) {
      const keeper = createTestKeeper({ lifetimeRules: [rule] });
      await send(keeper, bodyOf(start), { atMs: 0 });
      await send(keeper, bodyOf(stepsLater(2)), { atMs: 1_000, sessionId });
      await send(keeper, bodyOf(stepsLater(3)), { atMs: 2_000, sessionId });
      const cold = await send(keeper, bodyOf(stepsLater(3)), { atMs: COLD, sessionId });
      expect(resultIn(cold, "r1"), sessionId).toContain("lifetime is over");
    }
  });

  it("counts the steps of a sub-agent, whose one turn never ends", async () => {
    const own = { agentId: "agent" };
    expect(await leavesAfter(await held(turns(0), own), stepsLater(30), own)).toBe(false);
    expect(await leavesAfter(await held(steps(1), own), stepsLater(1), own)).toBe(false);
    expect(await leavesAfter(await held(steps(1), own), stepsLater(2), own)).toBe(true);
  });
});

describe("the client's own compaction", () => {
  /** The client keeps the read and puts a summary before it. */
  const folded = read(user(EMPTY_TALK, SUMMARY), "r1", "/w/a.ts", FILE);

  it.each([
    ["ends a lifetime in turns", turns(9), true],
    ["ends a lifetime in steps", steps(90), true],
    ["closes the scopes", scope("tmp_fix"), true],
    ["lets what is held for good be", FOREVER, false],
  ])("%s", async (_, lifetime, leaves) => {
    expect(await leavesAfter(await held(lifetime), folded)).toBe(leaves);
  });

  it("closes a scope for good: closing it again is refused", async () => {
    const keeper = await held(scope("tmp_fix"));
    await send(keeper, bodyOf(folded), { atMs: 1_000 });
    const window = await keeper.window(CONTEXT);
    const lineage = window.ok ? window.lineage : "";
    expect(window.ok && window.scopes).toEqual([]);
    expect(await order(keeper, { verb: "close", scope: "tmp_fix", reason: "x" }, { lineage })).toMatchObject({
      failure: "bad order",
      words: "tmp_fix is closed already",
    });
  });
});

describe("a scope", () => {
  it("is closed once; its items leave, and no others", async () => {
    const keeper = await held(scope("tmp_fix"));
    const close = { verb: "close", scope: "tmp_fix", reason: "fixed" } as const;
    const answer = await order(keeper, close);
    expect(answer).toMatchObject({ ok: true, words: expect.stringContaining("from the next request") });
    expect(await order(keeper, close)).toMatchObject({ failure: "bad order" });
    expect(await order(keeper, { ...close, scope: "tmp_other" })).toMatchObject({ failure: "bad order" });
    expect(await leavesAfter(keeper, bash(start, "b1", "ls", "x"))).toBe(true);
  });

  it("that was closed may be opened anew: what it let go of and had not left yet stays", async () => {
    const keeper = await held(scope("tmp_fix"));
    await order(keeper, { verb: "close", scope: "tmp_fix", reason: "fixed" });
    await order(keeper, declare("hold", { ids: ["r1"] }, scope("tmp_fix")));
    expect(await leavesAfter(keeper, stepsLater(2))).toBe(false);
  });

  it("lets its items be where they were taken out of it before", async () => {
    const keeper = await held(scope("tmp_fix"));
    await order(keeper, undeclare("unhold", { ids: ["r1"] }));
    await order(keeper, { verb: "close", scope: "tmp_fix", reason: "fixed" });
    expect(await leavesAfter(keeper, stepsLater(2))).toBe(false);
  });

  it("does not stop a deliberate release", async () => {
    const keeper = await held(scope("tmp_fix"));
    await order(keeper, release("r1"));
    expect(resultIn(await send(keeper, bodyOf(stepsLater(1)), { atMs: 1_000 }), "r1")).toContain("[ebb ");
  });

  it.each(["fix", "tmp_", ""])("is not named %j", async (name) => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(start));
    expect(await order(keeper, declare("hold", { ids: ["r1"] }, scope(name)))).toMatchObject({ failure: "bad order" });
  });
});
