import { describe, expect, it } from "vitest";
import { bash, bodyOf, EMPTY_TALK, user } from "../../test/support/conversation.ts";
import { createTestKeeper, send } from "../../test/support/keeper.ts";
import { CONTEXT, NO_TARGETS, WorkingSession } from "../../test/support/working-session.ts";
import { createMemoryStore } from "../stores/memory.ts";
import { noteBoundary, type ToldBoundary } from "./boundary-note.ts";

const compacted: ToldBoundary = {
  what: "compacted",
  source: "SessionStart compact",
  sessionId: "session",
  agentId: null,
};
const AT_MS = 2_000_000;

/** A conversation with an open scope and an item held for nine turns. */
async function working(): Promise<WorkingSession> {
  const session = new WorkingSession();
  await session.read("/w/a.ts", "a\nb\n");
  const held = await session.order({
    verb: "hold",
    targets: { ...NO_TARGETS, latest: 1 },
    lifetime: { kind: "turns", turns: 9 },
    reason: "for later",
  });
  if (!held.ok) throw new Error(held.words);
  await session.open("tmp_fix");
  await session.bash("make");
  return session;
}

const note = (session: WorkingSession, told: ToldBoundary) =>
  noteBoundary(CONTEXT.tenant, told, AT_MS, session.keeper.store);

async function scopeEnd(session: WorkingSession) {
  return (await session.report("tmp_fix")).scope?.ended;
}

describe("a boundary that a client tells of", () => {
  it("stands in the ledger of its conversation, and in the report", async () => {
    const session = await working();
    await note(session, { ...compacted, what: "compacting", source: "PreCompact auto" });
    const at = { turn: 1, step: 2 };
    expect((await session.records()).at(-1)).toMatchObject({
      atMs: AT_MS,
      entry: { type: "boundary-noted", what: "compacting", source: "PreCompact auto", ...at },
    });
    const told = [{ what: "compacting", source: "PreCompact auto", ...at }];
    expect((await session.report(null)).boundaries).toEqual(told);
    expect((await session.report("tmp_fix")).boundaries).toEqual(told);
  });

  it("is recorded however many are told at once", async () => {
    const session = await working();
    const told = Array.from({ length: 12 }, (_, index) => ({ ...compacted, source: `SubagentStop ${index}` }));
    await Promise.all(told.map((one) => note(session, one)));
    expect((await session.report(null)).boundaries).toHaveLength(12);
  });

  it.each(["resumed", "compacting"] as const)("ends nothing where the conversation goes on: %s", async (what) => {
    const session = await working();
    await note(session, { ...compacted, what });
    expect(await scopeEnd(session)).toBeNull();
    const window = await session.keeper.window(CONTEXT);
    expect(window).toMatchObject({ ok: true, scopes: [{ name: "tmp_fix" }] });
  });

  it.each([
    ["compacted", "compaction"],
    ["cleared", "clear"],
  ] as const)("ends the scopes that are open, once: %s", async (what, by) => {
    const session = await working();
    await note(session, { ...compacted, what });
    await note(session, { ...compacted, what: "cleared" });
    expect(await scopeEnd(session)).toEqual({ by, turn: 1, step: 2 });
    const closing = await session.order({ verb: "close", scope: "tmp_fix", reason: "done" });
    expect(closing).toMatchObject({ ok: false, words: "tmp_fix is closed already" });
  });

  it("ends spans that were running at a compaction, and at nothing else", async () => {
    const session = await working();
    await note(session, { ...compacted, what: "cleared" });
    expect(await heldWords(session)).toBe("held until turn 10: for later");
    await note(session, compacted);
    expect(await heldWords(session)).toBe("lifetime over: the client compacted the conversation");
  });

  it("is taken into account by a process that knew the conversation before", async () => {
    const session = await working();
    await note(session, compacted);
    await session.bash("ls");
    expect(session.keeper.errors).toEqual([]);
    expect((await session.records()).at(-2)?.entry.type).toBe("request-sent");
    expect(await scopeEnd(session)).toEqual({ by: "compaction", turn: 1, step: 2 });
  });

  it("is of the sub-agent that it names, and leaves its parent alone", async () => {
    const store = createMemoryStore({});
    const keeper = createTestKeeper({ store });
    const talk = bash(user(EMPTY_TALK, "main"), "m1", "ls", "x");
    const sub = bash(user(EMPTY_TALK, "sub"), "s1", "ls", "y");
    await send(keeper, bodyOf(talk));
    await send(keeper, bodyOf(sub), { agentId: "agent-1" });
    const stopped: ToldBoundary = { ...compacted, what: "agent-stopped", source: "SubagentStop", agentId: "agent-1" };
    const lineage = await noteBoundary("local", stopped, AT_MS, store);
    const listed = await store.listLineages("local", 9);
    expect(listed.find((one) => one.lineage === lineage)?.agentId).toBe("agent-1");
    expect(await noteBoundary("local", { ...stopped, agentId: "agent-2" }, AT_MS, store)).toBeNull();
  });

  it("is nothing where the conversation does not go through Ebb", async () => {
    const session = await working();
    expect(await note(session, { ...compacted, sessionId: "another" })).toBeNull();
    expect((await session.report(null)).boundaries).toBeUndefined();
  });

  it("is written although another process writes at the same moment, and given up where that never ends", async () => {
    const session = await working();
    const { store } = session.keeper;
    let lost = 0;
    const losing = (times: number) => ({
      ...store,
      commit: async (commit: Parameters<typeof store.commit>[0]) => {
        if (lost++ < times) return { ok: false, kind: "conflict", seq: 1 } as const;
        return store.commit(commit);
      },
    });
    expect(await noteBoundary("local", compacted, AT_MS, losing(2))).not.toBeNull();
    lost = 0;
    await expect(noteBoundary("local", compacted, AT_MS, losing(99))).rejects.toThrow(/store_locked|other writers/);
  });
});

async function heldWords(session: WorkingSession): Promise<string | undefined> {
  const window = await session.keeper.window(CONTEXT);
  return window.ok ? window.items[0]?.words : window.words;
}
