import { describe, expect, it } from "vitest";
import { bash, EMPTY_TALK, edit, idle, read, type Talk, user } from "../../test/support/conversation.ts";
import {
  ADAPTER,
  ask,
  deletingKeeper,
  deletingProvider,
  deletionsIn,
  ledgersOf,
} from "../../test/support/deleting-provider.ts";
import { resultIn } from "../../test/support/keeper.ts";
import { EbbError } from "../lib/ebb-error.ts";
import { createMemoryStore } from "../stores/memory.ts";

const fileOf = (name: string) =>
  Array.from({ length: 300 }, (_, line) => `const ${name}${line} = compute(${line}, "some text");`).join("\n");
const MINUTE = 60_000;

const asked = user(EMPTY_TALK, "please fix a.ts");
const opened = read(bash(asked, "s1", "ls", "a.ts b.ts c.ts"), "r0", "/w/c.ts", `${fileOf("c")}\n${fileOf("d")}`);
const readA = read(opened, "r1", "/w/a.ts", fileOf("a"));
const readB = read(readA, "r2", "/w/b.ts", fileOf("b"));
const editA = edit(readB, "e1", "/w/a.ts");
const idled = idle(editA, "i", 1);
const editB = edit(idled, "e2", "/w/b.ts");
const START = [asked, opened, readA, readB];

function world(store = createMemoryStore({})) {
  return { store, keeper: deletingKeeper({ store }), provider: deletingProvider() };
}

/** Sends one talk after the other, a minute apart; answers the last. */
async function askAll(
  ground: Parameters<typeof ask>[0],
  talks: readonly Talk[],
  options: Parameters<typeof ask>[2] = {},
) {
  let last = null;
  for (const [index, talk] of talks.entries()) last = await ask(ground, talk, { atMs: index * MINUTE, ...options });
  if (last === null) throw new Error("nothing was asked");
  return last;
}

describe("a stale read on a warm cache", () => {
  it("leaves by the provider's deletion: it stays in the body, and everything in front of the new message is still read", async () => {
    const ground = world();
    const before = await askAll(ground, START);
    const { sent, usage, deletedTokens, prepared } = await ask(ground, editA, { atMs: 4 * MINUTE });
    expect(prepared.plan?.fresh).toMatchObject([{ reason: "stale", moment: "native" }]);
    expect(String(resultIn(sent, "r1"))).toContain("const a299");
    const [deletion] = deletionsIn(sent);
    expect(deletion?.calls).toEqual(["r1"]);
    const address = prepared.plan?.fresh[0]?.address;
    expect(deletion?.note).toMatch(/^Only this view was shortened, not the files\. These tool results left it:\n/);
    expect(deletion?.note).toContain(`[ebb ${address}] Read /w/a.ts lines 1-300`);
    expect(deletion?.note).toMatch(new RegExp(`\\nFull text: ebb recall ${address}$`));
    const promptBefore = (before.usage?.cacheReadTokens ?? 0) + (before.usage?.cacheWriteTokens ?? 0);
    expect(deletedTokens).toBeGreaterThan(3_000);
    expect(usage?.cacheReadTokens).toBe(promptBefore - (deletedTokens ?? 0));
    expect(usage?.cacheWriteTokens).toBeLessThan(400);
  });

  it("stays deleted in every later request, with the same bytes at the same place; what is deleted next comes behind it", async () => {
    const ground = world();
    await askAll(ground, [...START, editA]);
    const [first] = deletionsIn((await ask(ground, idled, { atMs: 5 * MINUTE })).sent);
    const second = await ask(ground, editB, { atMs: 6 * MINUTE });
    const third = await ask(ground, idle(editB, "j", 1), { atMs: 7 * MINUTE });
    expect(first?.calls).toEqual(["r1"]);
    expect(deletionsIn(second.sent)).toMatchObject([first, { calls: ["r2"] }]);
    expect(deletionsIn(third.sent)).toEqual(deletionsIn(second.sent));
    expect(second.deletedTokens).toBeGreaterThan(7_000);
    expect(third.deletedTokens).toBe(second.deletedTokens);
    expect(third.usage?.cacheWriteTokens).toBeLessThan(200);
    expect(ground.keeper.stats().released).toMatchObject([{ reason: "stale", moment: "native", count: 2 }]);
    expect(ground.keeper.stats()).toMatchObject({ law_violations: 0, figures: { reanchored_tokens: 0 } });
    expect(ground.keeper.stats().predictions.missed).toEqual({});
  });

  it.each(["at once", "after a failure"])(
    "is not taken for a lost cache, however much of the prompt it was: %s",
    async (when) => {
      const ground = world();
      const large = Array.from({ length: 8 }, (_, part) => fileOf(`p${part}`)).join("\n");
      const second = read(opened, "r6", "/w/large.ts", large);
      const edited = edit(second, "e6", "/w/large.ts");
      await askAll(ground, [opened, second]);
      if (when === "after a failure") await ask(ground, edited, { atMs: 2 * MINUTE, status: 529 });
      await ask(ground, edited, { atMs: 2 * MINUTE });
      const last = await ask(ground, idle(edited, "l", 1), { atMs: 3 * MINUTE });
      expect(last.deletedTokens).toBeGreaterThan(25_000);
      expect(deletionsIn(last.sent)).toHaveLength(1);
      expect(ground.keeper.stats().predictions.missed).toEqual({});
    },
  );

  it("is pinned once and marked sent once, by the ledger", async () => {
    const ground = world();
    await askAll(ground, [...START, editA, idled]);
    const [entries = []] = await ledgersOf(ground.store);
    const types = entries.map(({ type }) => type).filter((type) => type.startsWith("edit-"));
    expect(types).toEqual(["edit-queued", "edit-pinned", "edit-sent"]);
    const pinned = entries.find(({ type }) => type === "edit-pinned");
    expect(pinned).toMatchObject({ block: { deletions: [{ tokens: expect.any(Number) }] } });
  });
});

describe("what happens meanwhile", () => {
  it("a restart: the same bytes, from the ledger alone", async () => {
    const ground = world();
    const before = await askAll(ground, [...START, editA]);
    const restarted = { ...ground, keeper: deletingKeeper({ store: ground.store, idPrefix: "again" }) };
    const after = await ask(restarted, idled, { atMs: 5 * MINUTE });
    expect(deletionsIn(after.sent)).toEqual(deletionsIn(before.sent));
    expect(after.usage?.cacheWriteTokens).toBeLessThan(400);
  });

  it.each(["the same process", "another process"])(
    "a failure (529) and a retry by %s: the very same body, marked sent by the success",
    async (who) => {
      const ground = world();
      await askAll(ground, START);
      const failed = await ask(ground, editA, { atMs: 4 * MINUTE, status: 529 });
      expect(deletionsIn(failed.sent)).toMatchObject([{ calls: ["r1"] }]);
      const types = async () =>
        (await ledgersOf(ground.store)).flat().flatMap(({ type }) => (type === "edit-sent" ? [type] : []));
      expect(await types()).toEqual([]);
      const keeper = who === "another process" ? deletingKeeper({ store: ground.store, idPrefix: "b" }) : ground.keeper;
      const retried = await ask({ ...ground, keeper }, editA, { atMs: 4 * MINUTE + 5_000 });
      expect(retried.sent).toBe(failed.sent);
      expect(retried.deletedTokens).toBeGreaterThan(3_000);
      expect(await types()).toEqual(["edit-sent"]);
    },
  );

  it.each(["findChain", "commit"] as const)(
    "a store that does not answer (%s): the same bytes, from memory",
    async (call) => {
      const store = createMemoryStore({});
      const ground = world(store);
      await askAll(ground, [...START, editA]);
      const before = deletionsIn((await ask(ground, idled, { atMs: 5 * MINUTE })).sent);
      const answering = store[call];
      Object.assign(store, { [call]: () => Promise.reject(new EbbError("store_locked", "busy")) });
      const { sent, prepared } = await ask(ground, idle(idled, "k", 1), { atMs: 6 * MINUTE });
      Object.assign(store, { [call]: answering });
      expect(prepared.kind).toBe("forward");
      expect(deletionsIn(sent)).toEqual(before);
      expect(ground.keeper.stats()).toMatchObject({ law_violations: 0, fallbacks: { script_only: 1, refused: 0 } });
    },
  );

  it("a count of tokens: it counts the body that is sent, and takes nothing", async () => {
    const ground = world();
    await askAll(ground, START);
    const counted = await ask(ground, editA, { atMs: 4 * MINUTE, kind: "count" });
    expect((await ledgersOf(ground.store)).flat().some(({ type }) => type.startsWith("edit-"))).toBe(false);
    expect((await ask(ground, editA, { atMs: 4 * MINUTE })).sent).toBe(counted.sent);
  });

  it("a rewind to before the place: the deletion ends, and what it asked for stands in full and may leave again", async () => {
    const ground = world();
    await askAll(ground, [...START, editA, idled]);
    const other = await ask(ground, bash(readB, "s2", "pwd", "/w"), { atMs: 6 * MINUTE });
    expect(deletionsIn(other.sent)).toEqual([]);
    expect(other.usage?.cacheReadTokens).toBeGreaterThan(7_000);
    const again = await ask(ground, edit(bash(readB, "s2", "pwd", "/w"), "e9", "/w/a.ts"), { atMs: 7 * MINUTE });
    expect(deletionsIn(again.sent)).toMatchObject([{ calls: ["r1"] }]);
    const [, fork = []] = await ledgersOf(ground.store);
    expect(fork.filter(({ type }) => type === "boundary-reset")).toEqual([{ type: "boundary-reset", why: "rewind" }]);
  });

  it("a rewind to behind the place: the same bytes, in a lineage of their own", async () => {
    const ground = world();
    const before = await askAll(ground, [...START, editA, idled]);
    const other = await ask(ground, bash(editA, "s2", "pwd", "/w"), { atMs: 6 * MINUTE });
    expect(deletionsIn(other.sent)).toEqual(deletionsIn(before.sent));
    expect(other.usage?.cacheWriteTokens).toBeLessThan(400);
    const [, fork = []] = await ledgersOf(ground.store);
    expect(fork.filter(({ type }) => type === "boundary-reset")).toEqual([]);
  });

  it("a compaction by the client: nothing is asked any more, and the ledger says why", async () => {
    const ground = world();
    await askAll(ground, [...START, editA, idled]);
    const summary =
      "This session is being continued from a previous conversation that ran out of context. Summary: a.ts.";
    const folded = await ask(ground, user(EMPTY_TALK, summary), { atMs: 6 * MINUTE });
    expect(deletionsIn(folded.sent)).toEqual([]);
    const [, after = []] = await ledgersOf(ground.store);
    expect(after.find(({ type }) => type === "boundary-reset")).toEqual({ type: "boundary-reset", why: "compaction" });
  });

  it("another model, which does not delete: everything in full and no note; then back, with the same bytes", async () => {
    const ground = world();
    const before = await askAll(ground, [...START, editA]);
    const other = await ask(ground, idled, { atMs: 5 * MINUTE, model: "claude-sonnet-4-5" });
    expect(other.sent).not.toContain(ADAPTER.blockType);
    expect(other.sent).not.toContain("Only this view");
    const back = await ask(ground, idle(editA, "i", 2), { atMs: 6 * MINUTE });
    expect(deletionsIn(back.sent)).toEqual(deletionsIn(before.sent));
  });

  it("a request without breakpoints: it can carry none, so everything stands in full", async () => {
    const ground = world();
    await askAll(ground, [...START, editA]);
    const { sent } = await ask(ground, idled, { atMs: 5 * MINUTE, ttl: null });
    expect(sent).not.toContain(ADAPTER.blockType);
    expect(sent).not.toContain("[ebb ");
  });
});

describe("nothing is asked", () => {
  it.each<[string, Parameters<typeof askAll>[2]]>([
    ["by a sub-agent", { agentId: "agent-1" }],
    ["of another model", { model: "claude-sonnet-4-5" }],
    ["without a breakpoint", { ttl: null }],
    ["by requests without tools", { tools: [] }],
  ])("%s", async (_, options) => {
    const { sent } = await askAll(world(), [...START, editA], options);
    expect(sent).not.toContain(ADAPTER.blockType);
    expect(sent).not.toContain("[ebb ");
  });

  it("without a form to ask in; what was asked before stands in full", async () => {
    const ground = world();
    await askAll(ground, [...START, editA]);
    const without = { ...ground, keeper: deletingKeeper({ store: ground.store, idPrefix: "c", deletes: false }) };
    const { sent } = await ask(without, idled, { atMs: 5 * MINUTE });
    expect(sent).not.toContain(ADAPTER.blockType);
    expect(sent).not.toContain("[ebb ");
  });

  it("where the message that would carry it was sent before: it waits for the next one", async () => {
    const store = createMemoryStore({});
    const observing = { store, keeper: deletingKeeper({ store, mode: "observe" }), provider: deletingProvider() };
    await askAll(observing, [...START, editA]);
    const ground = { ...observing, keeper: deletingKeeper({ store, idPrefix: "d" }) };
    expect(deletionsIn((await ask(ground, editA, { atMs: 5 * MINUTE })).sent)).toEqual([]);
    expect(deletionsIn((await ask(ground, idled, { atMs: 6 * MINUTE })).sent)).toMatchObject([{ calls: ["r1"] }]);
  });

  it("of what no answered request held: it waits for an answer that shows it cached", async () => {
    const ground = world();
    await askAll(ground, START.slice(0, -1));
    await ask(ground, readB, { atMs: 3 * MINUTE, status: 529 });
    const edited = edit(readB, "e2", "/w/b.ts");
    expect(deletionsIn((await ask(ground, edited, { atMs: 4 * MINUTE })).sent)).toEqual([]);
    const next = await ask(ground, idle(edited, "k", 1), { atMs: 5 * MINUTE });
    expect(deletionsIn(next.sent)).toMatchObject([{ calls: ["r2"] }]);
  });
});
