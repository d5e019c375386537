import { describe, expect, it } from "vitest";
import { bash, bodyOf, EMPTY_TALK, read, user } from "../../test/support/conversation.ts";
import { createTestKeeper, send } from "../../test/support/keeper.ts";
import {
  CONTEXT,
  declare,
  FILE,
  FOREVER,
  keep,
  order,
  release,
  SUMMARY,
  scope,
  steps,
  turns,
  undeclare,
} from "../../test/support/orders.ts";
import type { Keeper } from "./contract.ts";
import type { WindowAnswer } from "./window.ts";

const start = read(
  read(read(user(EMPTY_TALK, "look"), "r1", "/w/a.ts", FILE), "r2", "/w/b.ts", FILE),
  "r3",
  "/w/c.ts",
  FILE,
);
const next = bash(start, "b1", "ls", "x");

async function windowIn(keeper: Keeper): Promise<Extract<WindowAnswer, { ok: true }>> {
  const answer = await keeper.window(CONTEXT);
  if (!answer.ok) throw new Error(answer.words);
  return answer;
}

describe("the window", () => {
  it("says of each item where it stands, why, until when, and what still waits", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(start));
    await order(keeper, release("r1"));
    await order(keeper, keep("r2", "1-5"));
    await send(keeper, bodyOf(next));
    await order(keeper, declare("hold", { ids: ["r3"] }, turns(2)));
    await order(keeper, declare("protect", { ids: ["r3"] }, steps(4)));
    await order(keeper, release("b1"));
    const { items, turn, step, gone, scopes, paths } = await windowIn(keeper);
    expect({ turn, step, gone, scopes, paths }).toEqual({ turn: 1, step: 4, gone: 0, scopes: [], paths: [] });
    const by = "agent";
    expect(items.map(({ address: _, bytes: __, turn: ___, ...item }) => item)).toEqual([
      {
        kind: "result",
        label: "Read /w/a.ts lines 1-120",
        state: "released",
        left: "it was let go on purpose, at the next request",
        held: null,
        protected: null,
        waiting: null,
        words: "it was let go on purpose, at the next request",
        step: 3,
      },
      {
        kind: "result",
        label: "Read /w/b.ts lines 1-120",
        state: "kept",
        left: "a part of it was kept on purpose, at the next request",
        held: null,
        protected: null,
        waiting: null,
        words: "a part of it was kept on purpose, at the next request",
        step: 3,
      },
      {
        kind: "result",
        label: "Read /w/c.ts lines 1-120",
        state: "held",
        left: null,
        held: { until: "until turn 3", reason: "in use", by },
        protected: { until: "until step 8", reason: "in use", by },
        waiting: null,
        words: "protected until step 8: in use; held until turn 3: in use",
        step: 3,
      },
      {
        kind: "result",
        label: "Bash ls",
        state: "held",
        left: null,
        held: null,
        protected: null,
        waiting:
          "release asked (done with it), waiting: for a smaller marker: what would stand in its place is as large",
        words: "release asked (done with it), waiting: for a smaller marker: what would stand in its place is as large",
        step: 4,
      },
    ]);
    const stored = await keeper.store.findItems("local", "r1");
    expect(items[0]).toMatchObject({ address: stored[0]?.item.address, bytes: stored[0]?.item.bytes });
  });

  it("lists the scopes that are open with their items, and the paths that are bound", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(start));
    await order(keeper, declare("hold", { ids: ["r1", "r2"] }, scope("tmp_fix")));
    await order(keeper, declare("protect", { paths: ["/w/c.ts", "/w/new.ts"] }, FOREVER));
    const { items, scopes, paths } = await windowIn(keeper);
    const addresses = items.slice(0, 2).map(({ address }) => address);
    expect(scopes).toEqual([{ name: "tmp_fix", reason: "in use", turn: 1, step: 3, addresses }]);
    const protection = { kind: "protected", until: "for good", reason: "in use", by: "agent" };
    expect(paths).toEqual([
      { path: "/w/c.ts", ...protection },
      { path: "/w/new.ts", ...protection },
    ]);
    await order(keeper, { verb: "close", scope: "tmp_fix", reason: "fixed" });
    await order(keeper, undeclare("unprotect", { paths: ["/w/new.ts"] }));
    const after = await windowIn(keeper);
    expect([after.scopes, after.paths.map(({ path }) => path)]).toEqual([[], ["/w/c.ts"]]);
    expect(after.items.map((item) => item.held)).toEqual([null, null, null]);
  });

  it("shows what is live: what a compaction took out is counted", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(start), { atMs: 1 });
    await send(keeper, bodyOf(read(user(EMPTY_TALK, SUMMARY), "r9", "/w/z.ts", FILE)), { atMs: 2 });
    await order(keeper, release("r1"), { sessionId: "session" });
    const { items, gone } = await windowIn(keeper);
    expect([items.map(({ label }) => label), gone]).toEqual([["Read /w/z.ts lines 1-120"], 3]);
  });

  it("says that a lifetime is over, and of a wish that no request could carry out that it waits", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(start), { atMs: 0 });
    await order(keeper, declare("hold", { ids: ["r1"] }, steps(0)));
    await send(keeper, bodyOf(next), { atMs: 1_000 });
    expect((await windowIn(keeper)).items[0]).toMatchObject({
      held: null,
      words: "lifetime over: declared until step 3",
    });
  });

  it("is refused where several sessions could be meant, and names them", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(start), { sessionId: "one" });
    await send(keeper, bodyOf(read(user(EMPTY_TALK, "other"), "q", "/w/q.ts", FILE)), { sessionId: "two" });
    expect(await keeper.window(CONTEXT)).toMatchObject({
      failure: "ambiguous session",
      words: expect.stringMatching(/one, two|two, one/),
    });
    expect(await keeper.window({ ...CONTEXT, sessionId: "three" })).toMatchObject({ failure: "unknown session" });
  });
});
