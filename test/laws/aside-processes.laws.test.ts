import fc from "fast-check";
import { expect, test } from "vitest";
import { inlineDefinitions } from "../../src/mcp/inline-definitions.ts";
import type { Store } from "../../src/model/store.ts";
import { createTestKeeper } from "../support/keeper.ts";
import { type AsideTally, type AsideWorld, playAsides, realWire } from "./asides/aside-play.ts";
import { type AsideMove, type AsideSession, asideSessions } from "./asides/moves.ts";
import { judgeAsides } from "./judges/aside-judge.ts";
import { RUNS, SEED, TIMEOUT_MS } from "./property.ts";

const SESSIONS = Math.ceil(RUNS / 4);

const inlineTools = { definitions: inlineDefinitions("recall"), onSubscription: false };

/** Two processes on one store, which requests reach in an order that only looks like chance. */
function openTwo(store: Store, idPrefix: string): ReturnType<AsideWorld["open"]> {
  const one = createTestKeeper({ store, idPrefix: `one${idPrefix}`, inlineTools });
  const two = createTestKeeper({ store, idPrefix: `two${idPrefix}`, inlineTools });
  let draw = 7;
  return {
    ...one,
    prepare(request) {
      draw = (draw * 1_103_515_245 + 12_345) % 2_147_483_648;
      return (draw >> 16) % 2 === 0 ? one.prepare(request) : two.prepare(request);
    },
    stats: () => ({ ...one.stats(), law_violations: one.stats().law_violations + two.stats().law_violations }),
    get errors() {
      return [...one.errors, ...two.errors];
    },
    async close() {
      await one.close();
      await two.close();
    },
  };
}

/** All of it in one thread, which goes back where it would do anything but talk. */
function goingBack({ moves, ...session }: AsideSession): AsideSession {
  const move = (one: AsideMove): AsideMove =>
    one.kind === "say" || one.kind === "again" ? { ...one, thread: 0 } : { kind: "rewind", thread: 0, back: 1 };
  return { ...session, moves: moves.map(move) };
}

test.each([
  ["whatever a client does", (session: AsideSession) => session],
  ["where it goes back again and again", goingBack],
])(
  "answers that only the provider saw stand as they stood for two processes on one store, %s",
  {
    timeout: TIMEOUT_MS,
  },
  async (_name, changed) => {
    const world: AsideWorld = { open: openTwo, storeOf: (store) => store, wire: realWire };
    const tally: AsideTally = { sessions: 0, requests: 0, rounds: 0, putBack: 0, restarts: 0 };
    await fc.assert(
      fc.asyncProperty(asideSessions, async (session) => {
        expect(await playAsides(changed(session), world, judgeAsides(tally), tally)).toEqual([]);
      }),
      { numRuns: SESSIONS, seed: SEED },
    );
    expect(tally.putBack).toBeGreaterThan(tally.sessions);
  },
);
