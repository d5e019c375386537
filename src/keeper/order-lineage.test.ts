import { describe, expect, it } from "vitest";
import {
  assistant,
  bash,
  bodyOf,
  call,
  EMPTY_TALK,
  read,
  result,
  results,
  type Talk,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn, send } from "../../test/support/keeper.ts";
import {
  CONTEXT,
  declare,
  FILE,
  FOREVER,
  lineageOf,
  NO_TARGETS,
  order,
  release,
  scope,
} from "../../test/support/orders.ts";
import type { Order } from "./order.ts";

const first = read(user(EMPTY_TALK, "look"), "r1", "/w/a.ts", FILE);
const second = read(user(EMPTY_TALK, "another"), "q1", "/w/a.ts", FILE);
const latest = (count: number): Order => ({ verb: "release", targets: { ...NO_TARGETS, latest: count }, reason: "x" });

async function twoSessions() {
  const keeper = createTestKeeper();
  await send(keeper, bodyOf(first), { sessionId: "one" });
  await send(keeper, bodyOf(second), { sessionId: "two" });
  return { keeper, one: await lineageOf(keeper, "one"), two: await lineageOf(keeper, "two") };
}

describe("an order that came out of a conversation", () => {
  it("is about that one, whatever others hold", async () => {
    const { keeper, one, two } = await twoSessions();
    expect(await order(keeper, latest(1), { lineage: one })).toMatchObject({ ok: true, lineage: one });
    expect(await order(keeper, latest(1), { lineage: two })).toMatchObject({ ok: true, lineage: two });
    const sent = await send(keeper, bodyOf(bash(second, "b", "ls", "x")), { sessionId: "two" });
    expect(resultIn(sent, "q1")).toContain("[ebb ");
  });

  it("counts before the session that is named beside it", async () => {
    const { keeper, one } = await twoSessions();
    expect(await order(keeper, latest(1), { lineage: one, sessionId: "two" })).toMatchObject({ lineage: one });
  });

  it("tells another conversation's item from one that nobody knows", async () => {
    const { keeper, one } = await twoSessions();
    expect(await order(keeper, release("q1"), { lineage: one })).toMatchObject({
      failure: "belongs to another session",
    });
    expect(await order(keeper, release("r1", "q1"), { lineage: one })).toMatchObject({
      failure: "belongs to another session",
    });
    expect(await order(keeper, release("nothing"), { lineage: one })).toMatchObject({ failure: "unknown id" });
    expect(await order(keeper, release("r1"), { lineage: "gone" })).toMatchObject({ failure: "unknown id" });
  });

  it("sees its own window, and closes its own scopes", async () => {
    const { keeper, one, two } = await twoSessions();
    for (const lineage of [one, two]) {
      await order(keeper, declare("hold", { latest: 1 }, scope("tmp_fix")), { lineage });
    }
    const close: Order = { verb: "close", scope: "tmp_fix", reason: "fixed" };
    expect(await order(keeper, close)).toMatchObject({ failure: "ambiguous session" });
    expect(await order(keeper, close, { lineage: two })).toMatchObject({ ok: true, lineage: two });
    const open = async (lineage: string) => {
      const window = await keeper.window({ ...CONTEXT, lineage });
      return window.ok && [window.lineage, window.scopes.length];
    };
    expect([await open(one), await open(two)]).toEqual([
      [one, 1],
      [two, 0],
    ]);
    expect(await keeper.window({ ...CONTEXT, lineage: "gone" })).toMatchObject({ failure: "unknown session" });
  });

  it("reaches a sub-agent, which a session's name does not", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(first));
    const task = read(user(EMPTY_TALK, "a task"), "s1", "/w/s.ts", FILE);
    await send(keeper, bodyOf(task), { agentId: "agent" });
    expect(await lineageOf(keeper, "session")).toBe((await keeper.store.findItems("local", "r1"))[0]?.lineage);
    const lineage = (await keeper.store.findItems("local", "s1"))[0]?.lineage ?? "";
    await order(keeper, declare("protect", { latest: 1 }, FOREVER), { lineage });
    expect(await keeper.window({ ...CONTEXT, lineage })).toMatchObject({
      items: [{ protected: { reason: "in use" } }],
    });
  });
});

describe("an order from outside", () => {
  it("names the conversations that fit where there are several", async () => {
    const { keeper } = await twoSessions();
    const answer = await order(keeper, latest(1));
    expect(answer).toMatchObject({ failure: "ambiguous session", words: expect.stringMatching(/one.*two|two.*one/) });
  });

  it("is about the conversation, not about a side request that came after it", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(first), { atMs: 1 });
    await send(keeper, bodyOf(user(EMPTY_TALK, "a title, please")), { atMs: 2 });
    expect(await order(keeper, latest(1), { sessionId: "session" })).toMatchObject({ ok: true });
  });

  it("finds an item that two sessions hold only under a name", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(first), { sessionId: "one" });
    const resumed: Talk = bash(first, "b", "ls", "x");
    await send(keeper, bodyOf(resumed), { sessionId: "two" });
    expect(await order(keeper, release("r1"))).toMatchObject({ failure: "ambiguous session" });
    expect(await order(keeper, release("r1"), { sessionId: "two" })).toMatchObject({ ok: true });
    expect(resultIn(await send(keeper, bodyOf(bash(resumed, "c", "ls", "y")), { sessionId: "two" }), "r1")).toContain(
      "[ebb ",
    );
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses the latest %s items", async (count) => {
    const { keeper } = await twoSessions();
    expect(await order(keeper, latest(count), { sessionId: "one" })).toMatchObject({ failure: "bad order" });
  });
});

it("a conversation without a session id is told as what it is, never as one that is called null", async () => {
  const keeper = createTestKeeper();
  await send(keeper, bodyOf(first), { sessionId: "one" });
  await send(keeper, bodyOf(second), { sessionId: null });
  const query = { ...CONTEXT, id: "index", range: null, pattern: null, ignoreCase: false, chars: null };
  const answers = [await keeper.window(CONTEXT), await keeper.recall(query), await order(keeper, latest(1))];
  for (const answer of answers) {
    const words = answer.ok ? "" : answer.words;
    expect(words).toContain("one without a session id");
    expect(words).not.toContain("null");
  }
});

it("means by the latest items what tools of the agent's own answered, and recalled text", async () => {
  const keeper = createTestKeeper();
  const listed = answered(first, "w1", "mcp__ebb__window");
  await send(keeper, bodyOf(listed));
  const { addresses } = await done(keeper, latest(1));
  expect(addresses).toHaveLength(1);
  expect(resultIn(await send(keeper, bodyOf(listed)), "r1")).toContain("[ebb ");
  const recalled = answered(listed, "w2", "mcp__ebb__recall");
  await send(keeper, bodyOf(recalled));
  await done(keeper, latest(1));
  expect(resultIn(await send(keeper, bodyOf(recalled)), "w2")).toContain("[ebb ");
});

function answered(talk: Talk, id: string, tool: string): Talk {
  return results(assistant(talk, call(id, tool, { id: "x" })), result(id, "an answer of Ebb's own\n".repeat(60)));
}

async function done(keeper: ReturnType<typeof createTestKeeper>, given: Order) {
  const answer = await order(keeper, given);
  if (!answer.ok) throw new Error(answer.words);
  return answer;
}
