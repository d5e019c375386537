import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inlineDefinitions } from "../../src/mcp/inline-definitions.ts";
import { createTestKeeper } from "../support/keeper.ts";
import { asideMutants } from "./asides/aside-mutants.ts";
import { type AsideTally, type AsideWorld, playAsides, realWire } from "./asides/aside-play.ts";
import { asideSessions } from "./asides/moves.ts";
import { judgeAsides } from "./judges/aside-judge.ts";
import { RUNS, SEED, TIMEOUT_MS } from "./property.ts";

/** Each session is a dozen requests. */
const SESSIONS = Math.ceil(RUNS / 4);
const MUTANT_SESSIONS = 200;

const inlineTools = { definitions: inlineDefinitions("recall"), onSubscription: false };

const realWorld: AsideWorld = {
  open: (store, idPrefix) => createTestKeeper({ store, idPrefix, inlineTools }),
  storeOf: (store) => store,
  wire: realWire,
};

function newTally(): AsideTally {
  return { sessions: 0, requests: 0, rounds: 0, putBack: 0, restarts: 0 };
}

describe("answers that only the provider saw", () => {
  test("stand in every later request as they stood, and nowhere else", { timeout: TIMEOUT_MS }, async () => {
    const tally = newTally();
    await fc.assert(
      fc.asyncProperty(asideSessions, async (session) => {
        expect(await playAsides(session, realWorld, judgeAsides(tally), tally)).toEqual([]);
      }),
      { numRuns: SESSIONS, seed: SEED },
    );
    const { sessions, requests, rounds, putBack, restarts } = tally;
    const counts = `${requests} requests, ${rounds} rounds of them, ${restarts} restarts`;
    process.stdout.write(`${sessions} sessions, ${counts}, ${putBack} asides put back\n`);
    expect(putBack).toBeGreaterThan(sessions);
  });
});

describe("a keeper by which", () => {
  test.each(asideMutants)("$name breaks the law", { timeout: TIMEOUT_MS }, async ({ breaks }) => {
    const world = { ...realWorld, ...breaks };
    for (const session of fc.sample(asideSessions, { numRuns: MUTANT_SESSIONS, seed: SEED })) {
      const tally = newTally();
      const faults = await playAsides(session, world, judgeAsides(tally), tally);
      if (faults.length > 0) return;
    }
    expect.fail("no session shows it");
  });
});
