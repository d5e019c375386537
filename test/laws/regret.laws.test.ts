import fc from "fast-check";
import { expect, test } from "vitest";
import type { Prepared } from "../../src/keeper/contract.ts";
import type { LedgerEntry } from "../../src/model/ledger.ts";
import type { Store } from "../../src/model/store.ts";
import { createMemoryStore } from "../../src/stores/memory.ts";
import { type Move, type Session, sessions, type ToolUse } from "./client/moves.ts";
import { MOVES_MAX } from "./client/samples.ts";
import { type ClientRequest, requestsOf } from "./client/session-play.ts";
import { RUNS, SEED, TIMEOUT_MS } from "./property.ts";
import { end, keeperSettings, prepare, realWorld } from "./world.ts";

/** Each request is played twice, on a store of its own. */
const CASES = Math.ceil(RUNS / 4);

test("what is regretted changes a request only where the thrash guard says so", { timeout: TIMEOUT_MS }, async () => {
  const seen = { regrets: 0, guarded: 0, compared: 0 };
  await fc.assert(
    fc.asyncProperty(sessions(MOVES_MAX), async (session) => {
      await expectSame({ ...session, moves: [...thrashing(), ...session.moves] }, seen);
    }),
    { numRuns: CASES, seed: SEED },
  );
  expect(seen.regrets).toBeGreaterThan(CASES);
  expect(seen.guarded).toBeGreaterThan(CASES / 10);
  expect(seen.compared).toBeGreaterThan(CASES * 5);
});

/** Until the guard speaks, a store that forgets regrets gives the very same bytes; both keepers start anew for each request. */
async function expectSame(session: Session, seen: { regrets: number; guarded: number; compared: number }) {
  const told = countingRegrets(createMemoryStore({}), (count) => {
    seen.regrets += count;
  });
  const forgetful = withoutRegrets(createMemoryStore({}));
  for (const request of requestsOf(session)) {
    const [counted, plain] = [await forwarded(request, session, told), await forwarded(request, session, forgetful)];
    const isGuarded = counted.prepared.kind === "forward" && hasGuarded(counted.prepared);
    if (isGuarded) seen.guarded++;
    if (isGuarded) return;
    seen.compared++;
    expect(counted.text).toBe(plain.text);
  }
}

function hasGuarded({ plan }: Extract<Prepared, { kind: "forward" }>): boolean {
  return plan?.declines.some(({ reason }) => reason === "thrash_guard") === true;
}

async function forwarded(request: ClientRequest, { setting }: Session, store: Store) {
  const keeper = realWorld.createKeeper(keeperSettings(setting, store, realWorld));
  const prepared = await prepare(keeper, request, realWorld);
  if (prepared.kind === "forward") await end(prepared, request);
  await keeper.close();
  const text = prepared.kind === "forward" ? Buffer.concat(prepared.body).toString("latin1") : prepared.words;
  return { prepared, text };
}

function isRegret({ type }: LedgerEntry): boolean {
  return type === "item-regretted";
}

/** Counts regrets, and blames a release for each: the files of these sessions differ whenever they are read. */
function countingRegrets(store: Store, note: (count: number) => void): Store {
  return {
    ...store,
    commit: (given) => {
      note(given.entries.filter(isRegret).length);
      return store.commit({ ...given, entries: given.entries.map(blamed) });
    },
  };
}

function blamed(entry: LedgerEntry): LedgerEntry {
  return entry.type === "item-regretted" ? { ...entry, regret: { ...entry.regret, isFault: true } } : entry;
}

function withoutRegrets(store: Store): Store {
  return {
    ...store,
    commit: (given) => store.commit({ ...given, entries: given.entries.filter((entry) => !isRegret(entry)) }),
  };
}

/** Two reads that leave stale on a cold cache and are missed, and a third that may leave. */
function thrashing(): readonly Move[] {
  const read: ToolUse = { tool: "read", path: 0, window: 0, size: 18, flavour: "scripts", shape: "block", end: "ok" };
  const edit: ToolUse = { tool: "edit", path: 0, end: "ok" };
  const round: readonly Move[] = [
    { kind: "work", thread: 0, uses: [read], thinks: false },
    { kind: "work", thread: 0, uses: [edit], thinks: false },
    { kind: "pause", minutes: 70 },
    { kind: "ask", thread: 0, form: "text" },
  ];
  return [...round, ...round, ...round];
}
