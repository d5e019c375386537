import { describe, expect, it } from "vitest";
import type { Chain } from "../engine/chain.ts";
import type { LedgerEntry, LedgerRecord } from "../model/ledger.ts";
import { createMemoryStore } from "../stores/memory.ts";
import { type Lineage, loadedLineage, type PlaceInput } from "./lineage.ts";
import { createLineages } from "./lineages.ts";
import { createWarmth } from "./warmth.ts";

const TENANT = "t";
const cache = { model: "m", cacheKey: "k" };
const request = { cache, breakpoints: null, lifetimeMs: null, atMs: 1_000 };
const chain: Chain = { keys: ["a", "b", "c", "d"], hashes: ["1", "2", "3", "4"] };

const opened: LedgerEntry = {
  type: "lineage-opened",
  sessionId: "s",
  agentId: null,
  parent: null,
  inherited: [],
  turnsBefore: 0,
  stepsBefore: 0,
  warmUntilMs: null,
};

function sent(itemCount: number, model: string): LedgerEntry {
  const clock = { turn: 1, step: 1 };
  return {
    type: "request-sent",
    requestId: "q",
    ...cache,
    model,
    cacheTtlMs: 300_000,
    itemCount,
    ...clock,
    isBound: false,
    isActing: true,
  };
}

function lineage(id: string, root: string | null, ...entries: readonly LedgerEntry[]): Lineage {
  const records = [opened, ...entries].map((entry, index): LedgerRecord => ({ seq: index + 1, atMs: 1_000, entry }));
  return loadedLineage(TENANT, id, root, records);
}

async function storeWith(id: string, entries: readonly LedgerEntry[], hashes: readonly string[]) {
  const store = createMemoryStore({});
  const rows = hashes.map((hash, index) => ({ position: index + 1, hash }));
  const written = { entries: [opened, ...entries], chain: rows, originals: [] };
  await store.commit({ tenant: TENANT, lineage: id, expectedSeq: 0, atMs: 1_000, ...written });
  return store;
}

describe("how much of a history may be cached", () => {
  const main = lineage("main", "main", sent(4, "other"));

  it("is what this process knows of kin that the store does not have", async () => {
    const warmth = createWarmth(createMemoryStore({}), async () => main);
    expect(await warmth.cachedCount(main, 4, request)).toBe(0);
    warmth.note(lineage("fork", "main", sent(3, "m")));
    expect(await warmth.cachedCount(main, 4, request)).toBe(3);
    expect(await warmth.cachedCount(main, 2, request)).toBe(2);
  });

  it("is not known where a lineage's first ancestor is not", async () => {
    const lost = lineage("lost", null);
    const store = await storeWith("lost", [], []);
    const warmth = createWarmth(store, async () => lost);
    expect(await warmth.cachedCount(main, 4, request)).toBeNull();
    expect(await warmth.cachedCount(lost, 4, request)).toBeNull();
  });
});

describe("what went out while the store could not write it", () => {
  const observations = {
    acquisitions: [],
    notices: [],
    turns: 1,
    steps: 1,
    workingDirectory: null,
    isFolded: false,
    settledCount: 0,
  };
  const hints = { tenant: TENANT, sessionId: "s", agentId: null, parentAgentId: null };
  const input: PlaceInput = { hints, chain, observations, ...request };

  it("may be cached under any name, also where nothing else is known of the conversation", async () => {
    const lineages = createLineages(createMemoryStore({}), () => "new");
    expect((await lineages.place(input)).cachedCount).toBe(0);
    lineages.noteUnwritten(lineage("gone", "gone"), chain);
    expect(await lineages.place(input)).toMatchObject({ sentCount: 4, cachedCount: null });
  });

  it("may be cached under any name behind what is on record", async () => {
    const lineages = createLineages(await storeWith("main", [sent(2, "m")], ["1", "2"]), () => "new");
    expect(await lineages.place(input)).toMatchObject({ sentCount: 2, cachedCount: 2 });
    lineages.noteUnwritten({ ...lineage("main", "main"), chainStored: 2 }, chain);
    expect(await lineages.place(input)).toMatchObject({ sentCount: 4, cachedCount: null });
  });
});
