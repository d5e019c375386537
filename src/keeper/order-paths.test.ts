import { describe, expect, it } from "vitest";
import { assistant, bash, bodyOf, EMPTY_TALK, read, type Talk, text, user } from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn, send } from "../../test/support/keeper.ts";
import {
  CONTEXT,
  declare,
  FILE,
  FOREVER,
  order,
  release,
  SUMMARY,
  scope,
  turns,
  undeclare,
} from "../../test/support/orders.ts";

const start = read(read(user(EMPTY_TALK, "look"), "r1", "/w/a.ts", FILE), "r2", "/w/b.ts", FILE);
/** Over this bound every read of the file leaves at first send. */
const TIGHT = { bound: { lines: 20, bytes: 3_000 } };
const isMarker = (forwarded: string, id: string) => String(resultIn(forwarded, id)).startsWith("[ebb ");

async function protectedPath(path = "/w/a.ts") {
  const keeper = createTestKeeper(TIGHT);
  await send(keeper, bodyOf(user(EMPTY_TALK, "look")));
  expect(await order(keeper, declare("protect", { paths: [path] }, FOREVER))).toMatchObject({ ok: true });
  return keeper;
}

describe("a protected path", () => {
  it("binds what is read of it later, at first send already, and nothing else", async () => {
    const keeper = await protectedPath();
    const sent = await send(keeper, bodyOf(start));
    expect([isMarker(sent, "r1"), isMarker(sent, "r2")]).toEqual([false, true]);
    expect(keeper.stats().declined.map(({ reason }) => reason)).toContain("protected");
  });

  it("is meant however it is written: absolute, unresolved, or as the agent wrote it", async () => {
    const relative = read(user(EMPTY_TALK, "look"), "r1", "src/a.ts", FILE);
    for (const path of ["/w/src/a.ts", "/w/./lib/../src/a.ts"]) {
      const keeper = await protectedPath(path);
      expect(isMarker(await send(keeper, bodyOf(relative)), "r1")).toBe(false);
    }
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(relative));
    expect(await order(keeper, declare("protect", { paths: ["src/a.ts"] }, FOREVER))).toMatchObject({ ok: true });
    const window = await keeper.window(CONTEXT);
    expect(window.ok && window.paths.map(({ path }) => path)).toEqual(["/w/src/a.ts"]);
  });

  it("that is relative must have been read: a slip of the pen binds nothing", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(start));
    const answer = await order(keeper, declare("protect", { paths: ["a.tss"] }, FOREVER));
    expect(answer).toMatchObject({ ok: false, failure: "unknown id", words: expect.stringContaining("absolute") });
  });

  it("survives a restart, a fork under a new id and the client's own compaction", async () => {
    const keeper = await protectedPath();
    await send(keeper, bodyOf(start));
    const again = read(start, "r3", "/w/a.ts", FILE);
    const restarted = createTestKeeper({ ...TIGHT, store: keeper.store, idPrefix: "later" });
    expect(isMarker(await send(restarted, bodyOf(again)), "r3")).toBe(false);
    const resumed = read(again, "r4", "/w/a.ts", FILE);
    expect(isMarker(await send(restarted, bodyOf(resumed), { sessionId: "two" }), "r4")).toBe(false);
    const folded = read(user(EMPTY_TALK, SUMMARY), "r5", "/w/a.ts", FILE);
    expect(isMarker(await send(restarted, bodyOf(folded), { sessionId: "two" }), "r5")).toBe(false);
  });

  it("is taken back for itself and all its items", async () => {
    const keeper = await protectedPath();
    await send(keeper, bodyOf(start));
    expect(await order(keeper, undeclare("unprotect", { paths: ["/w/a.ts"] }))).toMatchObject({ ok: true });
    await order(keeper, release("r1"));
    const sent = await send(keeper, bodyOf(read(start, "r3", "/w/a.ts", FILE)));
    expect([isMarker(sent, "r1"), isMarker(sent, "r3")]).toEqual([true, true]);
  });

  it("gives up one item that is named by itself, in this history and in those that continue it", async () => {
    const keeper = await protectedPath();
    await send(keeper, bodyOf(start));
    await order(keeper, undeclare("unprotect", { ids: ["r1"] }));
    const forked = user(assistant(start, text("no")), "another way");
    await send(keeper, bodyOf(forked), { sessionId: "two" });
    await order(keeper, release("r1"), { sessionId: "two" });
    const sent = await send(keeper, bodyOf(read(forked, "r3", "/w/a.ts", FILE)), { sessionId: "two" });
    expect([isMarker(sent, "r1"), isMarker(sent, "r3")]).toEqual([true, false]);
  });

  it("of a scope ends with it, and with the client's compaction", async () => {
    const bound = async (then: (keeper: Awaited<ReturnType<typeof protectedPath>>) => Promise<Talk>) => {
      const keeper = createTestKeeper(TIGHT);
      await send(keeper, bodyOf(start));
      await order(keeper, declare("protect", { paths: ["/w/c.ts"] }, scope("tmp_fix")));
      return isMarker(await send(keeper, bodyOf(read(await then(keeper), "r3", "/w/c.ts", FILE))), "r3");
    };
    expect(await bound(async () => start)).toBe(false);
    expect(
      await bound(async (keeper) => {
        await order(keeper, { verb: "close", scope: "tmp_fix", reason: "fixed" });
        return start;
      }),
    ).toBe(true);
    expect(await bound(async () => user(EMPTY_TALK, SUMMARY))).toBe(true);
  });
});

describe("a path held for some turns", () => {
  it("holds what is acquired while that lasts, and lets later items be", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(start), { atMs: 0 });
    await order(keeper, declare("hold", { paths: ["/w/a.ts", "/w/c.ts"] }, turns(1)));
    const within = read(user(assistant(start, text("ok")), "turn 2"), "r3", "/w/c.ts", FILE);
    await send(keeper, bodyOf(within), { atMs: 1_000 });
    const after = read(user(assistant(within, text("ok")), "turn 3"), "r4", "/w/c.ts", FILE);
    await send(keeper, bodyOf(after), { atMs: 2_000 });
    const cold = await send(keeper, bodyOf(bash(after, "b1", "ls", "x")), { atMs: 600_000 });
    expect(["r1", "r3", "r4"].map((id) => isMarker(cold, id))).toEqual([true, true, false]);
    const window = await keeper.window(CONTEXT);
    expect(window.ok && window.paths).toEqual([]);
  });

  it("lists its later items with its reason and end, and is listed itself", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(start));
    await order(keeper, declare("hold", { paths: ["/w/c.ts"] }, turns(4)));
    await send(keeper, bodyOf(read(start, "r3", "/w/c.ts", FILE)));
    const window = await keeper.window(CONTEXT);
    const hold = { until: "until turn 5", reason: "in use", by: "agent" };
    expect(window.ok && window.items.at(-1)?.held).toEqual(hold);
    expect(window.ok && window.paths).toEqual([{ path: "/w/c.ts", kind: "held", ...hold }]);
  });
});
