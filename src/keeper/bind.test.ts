import { describe, expect, test } from "vitest";
import type { LedgerEntry } from "../model/ledger.ts";
import type { Store } from "../model/store.ts";
import { createMemoryStore } from "../stores/memory.ts";
import { acquired, itemOf, originalOf } from "../testing/test-store-samples.ts";
import { BIND_LATE_LOOKS_MAX, BIND_LOOKS_MAX, bindCall, type ToolCall } from "./bind.ts";

const TENANT = "local";
const HOUR_MS = 60 * 60 * 1000;

/** A conversation in the ledger. */
interface Talk {
  readonly lineage: string;
  readonly atMs?: number;
  readonly entries: readonly LedgerEntry[];
}

function opened(sessionId: string | null): LedgerEntry {
  const nothing = { parent: null, inherited: [], turnsBefore: 0, stepsBefore: 0, warmUntilMs: null };
  return { type: "lineage-opened", sessionId, agentId: null, ...nothing };
}

function sent(requestId: string): LedgerEntry {
  const cache = { cacheKey: "k", cacheTtlMs: null };
  return {
    type: "request-sent",
    requestId,
    model: "m",
    ...cache,
    itemCount: 1,
    turn: 1,
    step: 1,
    isBound: false,
    isActing: true,
  };
}

function seen(requestId: string, ...calls: readonly (readonly [id: string, name: string])[]): LedgerEntry {
  const named = calls.map(([id, name]) => ({ id, name }));
  return { type: "response-seen", requestId, status: 200, usage: null, errorType: null, calls: named };
}

async function write(store: Store, { lineage, atMs = 1, entries }: Talk): Promise<void> {
  const expectedSeq = (await store.loadLineage(TENANT, lineage)).length;
  const commit = { tenant: TENANT, lineage, expectedSeq, atMs, entries, chain: [], originals: [] };
  expect(await store.commit(commit)).toMatchObject({ ok: true });
}

async function storeOf(...talks: readonly Talk[]): Promise<Store> {
  const store = createMemoryStore();
  for (const talk of talks) await write(store, talk);
  return store;
}

/** Binds, and says how often it waited; `pause` is what others write meanwhile. */
async function bind(store: Store, call: Partial<ToolCall>, pause: (pauses: number) => Promise<void> = async () => {}) {
  let pauses = 0;
  const desk = { store, pause: () => pause(++pauses) };
  const binding = await bindCall({ tenant: TENANT, callId: null, tool: "recall", isAddressed: false, ...call }, desk);
  return { ...binding, pauses };
}

const MINE: Talk = { lineage: "mine", entries: [opened("s1"), sent("r1"), seen("r1", ["c1", "mcp__ebb__recall"])] };
const OTHERS: Talk = { lineage: "others", entries: [opened("s2"), sent("r2"), seen("r2", ["c2", "ebb_recall"])] };
const MINE_LATER: Talk = { lineage: "mine", entries: [seen("r1", ["c1", "mcp__ebb__recall"])] };
const UNDER_WAY: Talk = { lineage: "others", entries: [opened("s2"), sent("r2")] };
/** More than the first looks take. */
const LATE = BIND_LOOKS_MAX + 60;
const BOUND = { state: "bound", lineage: "mine", sessionId: "s1", pauses: 0 };

describe("a call that the client names by its id", () => {
  test("binds to the lineage whose last response contained it, whoever else waits", async () => {
    expect(await bind(await storeOf(MINE, OTHERS), { callId: "c1" })).toEqual(BOUND);
  });

  test("is waited for while its response is on its way to the ledger", async () => {
    const store = await storeOf({ lineage: "mine", entries: [opened("s1"), sent("r1")] }, OTHERS);
    const pause = async (pauses: number) => {
      if (pauses === 3) await write(store, { lineage: "mine", entries: [seen("r1", ["c1", "mcp__ebb__recall"])] });
    };
    expect(await bind(store, { callId: "c1" }, pause)).toEqual({ ...BOUND, pauses: 3 });
  });

  test("binds to nothing when no response contained it, though one call of that name waits", async () => {
    const words =
      "no conversation that Ebb carries made this call of recall; `ebb run` starts an agent whose conversation goes through Ebb";
    const pauses = BIND_LOOKS_MAX - 1;
    expect(await bind(await storeOf(MINE), { callId: "c9" })).toEqual({ state: "unbound", words, pauses });
  });

  test("is waited for past the first looks where the client made it long before its response is complete", async () => {
    const store = await storeOf({ lineage: "mine", entries: [opened("s1"), sent("r1")] }, OTHERS);
    const pause = async (pauses: number) => {
      if (pauses === LATE) await write(store, MINE_LATER);
    };
    const bound = await bind(store, { callId: "c1" }, pause);
    expect(bound).toMatchObject({ state: "bound", lineage: "mine" });
    expect(bound.pauses).toBeGreaterThanOrEqual(LATE);
  });

  test("is not waited for any longer where an id tells the conversation as well", async () => {
    const bound = await bind(await storeOf(UNDER_WAY), { callId: "c1", isAddressed: true });
    expect(bound).toMatchObject({ state: "unbound", pauses: BIND_LOOKS_MAX - 1 });
  });

  test("is told of a response that never came to its end", async () => {
    const { pauses, ...binding } = await bind(await storeOf(UNDER_WAY), { callId: "c1" });
    const words = "a response that is still under way may have made this call of recall: ask again after it";
    expect(binding).toEqual({ state: "unbound", words });
    expect(pauses).toBeGreaterThan(BIND_LOOKS_MAX);
    expect(pauses).toBeLessThan(BIND_LOOKS_MAX + 10 * BIND_LATE_LOOKS_MAX);
  });

  test("binds without a long wait to an answered response that contained it", async () => {
    const answered = [opened("s1"), sent("r0"), seen("r0", ["c1", "mcp__ebb__recall"]), sent("r4")];
    const store = await storeOf({ lineage: "mine", entries: answered });
    expect(await bind(store, { callId: "c1" })).toEqual({ ...BOUND, pauses: BIND_LOOKS_MAX - 1 });
  });

  test("binds to the one that still waits where an answered response contained the same id", async () => {
    const answered = [opened("s3"), sent("r0"), seen("r0", ["c1", "mcp__ebb__recall"]), sent("r4")];
    expect(await bind(await storeOf({ lineage: "past", entries: answered }, MINE), { callId: "c1" })).toEqual(BOUND);
  });
});

describe("a call known by its tool's name alone", () => {
  test.each(["mcp__ebb__recall", "ebb_recall", "ebb.recall", "recall"])("is found as %s", async (name) => {
    const store = await storeOf({ lineage: "mine", entries: [opened("s1"), sent("r1"), seen("r1", ["c1", name])] });
    expect(await bind(store, {})).toEqual(BOUND);
  });

  test.each(["mcp__ebb__hold", "mcp__memory__recall", "webb_recall", "ebb_recall_all"])(
    "is not the call of %s",
    async (name) => {
      const store = await storeOf({ lineage: "mine", entries: [opened("s1"), sent("r1"), seen("r1", ["c1", name])] });
      expect(await bind(store, {})).toMatchObject({ state: "unbound" });
    },
  );

  test("binds to nothing where two conversations wait for such a call", async () => {
    const bound = await bind(await storeOf(MINE, OTHERS), {});
    expect(bound).toMatchObject({ state: "unbound", words: "2 conversations made a call of recall" });
  });

  test("is not a call that a later request answered", async () => {
    const answered = [...OTHERS.entries, sent("r3"), seen("r3", ["c3", "Bash"])];
    expect(await bind(await storeOf(MINE, { lineage: "others", entries: answered }), {})).toEqual(BOUND);
  });

  test("is not a call whose result came into another history, as after a client's compaction", async () => {
    const result = acquired(itemOf("c2", originalOf("the answer")));
    const after = [opened("s2"), result, sent("r3"), seen("r3", ["c3", "ebb_recall"])];
    const store = await storeOf(OTHERS, { lineage: "mine", entries: after });
    expect(await bind(store, {})).toMatchObject({ state: "bound", lineage: "mine", pauses: 0 });
  });

  test("is one that waits though a call of the same id was answered before it was made", async () => {
    const result = acquired(itemOf("c1", originalOf("the answer")));
    const before = [opened("s2"), result, sent("r3"), seen("r3", ["c3", "Bash"])];
    const store = await storeOf({ lineage: "others", atMs: 1, entries: before }, { ...MINE, atMs: 2 });
    expect(await bind(store, {})).toEqual(BOUND);
  });

  test("waits for a response under way, which may contain a call as well", async () => {
    const store = await storeOf(MINE, { lineage: "others", entries: [opened("s2"), sent("r2")] });
    const late = await bind(store, {}, async (pauses) => {
      if (pauses === 2) await write(store, { lineage: "others", entries: [seen("r2", ["c2", "ebb_recall"])] });
    });
    expect(late).toMatchObject({ state: "unbound", pauses: 2 });
  });

  test.each([
    ["no id", false],
    ["an id", true],
  ])("with %s binds to no other while a response that takes longer may contain it", async (_what, isAddressed) => {
    const { pauses, ...binding } = await bind(await storeOf(MINE, UNDER_WAY), { isAddressed });
    const words = "a response that is still under way may have made a call of recall: ask again after it";
    expect(binding).toEqual({ state: "unbound", words });
    expect(pauses === BIND_LOOKS_MAX - 1).toBe(isAddressed);
  });

  test("binds once every response that was under way turned out to hold none", async () => {
    const store = await storeOf(MINE, UNDER_WAY);
    const bound = await bind(store, {}, async (pauses) => {
      if (pauses === LATE) await write(store, { lineage: "others", entries: [seen("r2", ["c2", "Bash"]), sent("r3")] });
    });
    expect(bound).toMatchObject({ state: "bound", lineage: "mine" });
  });

  test("cannot be in a response to a request that was sent after it", async () => {
    const store = await storeOf({ lineage: "mine", entries: [opened("s1"), sent("r1")] }, UNDER_WAY);
    const bound = await bind(store, {}, async (pauses) => {
      if (pauses === 1) {
        await write(store, { lineage: "others", entries: [seen("r2"), sent("r3"), seen("r3", ["c3", "ebb_recall"])] });
      }
      if (pauses === 2) await write(store, MINE_LATER);
    });
    expect(bound).toEqual({ ...BOUND, pauses: 2 });
  });

  test("is not one of a conversation that was left long before the newest went on", async () => {
    const left = { ...OTHERS, atMs: 1 };
    expect(await bind(await storeOf(left, { ...MINE, atMs: 2 + HOUR_MS }), {})).toEqual(BOUND);
  });
});

test("a ledger that awaits no response is read once, however often the call is looked for", async () => {
  const store = await storeOf({ lineage: "mine", entries: [opened("s1"), sent("r1")] }, OTHERS);
  const read: string[] = [];
  const counting: Store = {
    ...store,
    loadLineage: (tenant, lineage) => {
      read.push(lineage);
      return store.loadLineage(tenant, lineage);
    },
  };
  await bind(counting, { callId: "c9" });
  expect(read.filter((lineage) => lineage === "others")).toHaveLength(1);
  expect(read.filter((lineage) => lineage === "mine")).toHaveLength(BIND_LOOKS_MAX + BIND_LATE_LOOKS_MAX);
});

test("a conversation that goes on meanwhile is read again", async () => {
  const store = await storeOf({ ...MINE, atMs: 1 });
  const bound = await bind(store, { callId: "c5" }, async (pauses) => {
    if (pauses === 1) await write(store, { lineage: "mine", atMs: 2, entries: [sent("r5")] });
    if (pauses === 3) await write(store, { lineage: "mine", atMs: 2, entries: [seen("r5", ["c5", "ebb_recall"])] });
  });
  expect(bound).toEqual({ ...BOUND, pauses: 3 });
});

test("a store that fails is told, not thrown", async () => {
  const store = createMemoryStore();
  await store.close();
  expect(await bind(store, { callId: "c1" })).toMatchObject({ state: "failed" });
});

test("a call that Ebb answers inside the stream of another conversation is nobody's here", async () => {
  const offered = { type: "tools-offered", json: "{}", names: ["ebb_recall"], moment: "first-send" } as const;
  const inline = { lineage: "inline", entries: [opened("i"), offered, sent("r1"), seen("r1", ["c1", "ebb_recall"])] };
  const own = { lineage: "own", entries: [opened("o"), sent("r2"), seen("r2", ["c2", "mcp__ebb__recall"])] };
  expect(await bind(await storeOf(inline, own), {})).toMatchObject({ state: "bound", lineage: "own" });
  expect(await bind(await storeOf(inline), {})).toMatchObject({ state: "unbound" });
});
