import fc from "fast-check";
import { expect, test } from "vitest";
import { sessions } from "./client/moves.ts";
import { MOVES_MAX } from "./client/samples.ts";
import { runInBadWeather } from "./open-runs.ts";
import { expectReleases, RUNS, SEED, TIMEOUT_MS } from "./property.ts";
import { newTally, realWorld } from "./world.ts";

test("open on failure: whatever the store does, a valid form goes out or a refusal that is due", {
  timeout: TIMEOUT_MS,
}, async () => {
  const tally = newTally();
  await fc.assert(
    fc.asyncProperty(sessions(MOVES_MAX), async (session) => {
      expect(await runInBadWeather(session, realWorld, tally)).toEqual([]);
    }),
    { numRuns: RUNS, seed: SEED },
  );
  expectReleases(tally);
});
