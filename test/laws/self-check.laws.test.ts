import { describe, expect, test } from "vitest";
import { sampled } from "./client/samples.ts";
import { judgeBytes } from "./judges/byte-judge.ts";
import { judgeOwnCheck, judgeOwnCheckInBadWeather } from "./judges/own-check-judge.ts";
import { judgePairs } from "./judges/pair-judge.ts";
import { judgeRecall } from "./judges/recall-judge.ts";
import { judgeSteadiness } from "./judges/steady-judge.ts";
import { stoppedMutants } from "./mutants/stopped.ts";
import { runInBadWeather } from "./open-runs.ts";
import { expectLaw, firstViolation, RUNS, SEED, TIMEOUT_MS } from "./property.ts";
import { realWorld, type Watcher } from "./world.ts";

/** Sessions a fault gets until it must have been seen, and those in which it may do no harm. */
const SESSIONS_MAX = 400;
const HARMLESS_SESSIONS = 40;

function judgeAll(): readonly Watcher[] {
  return [judgePairs, judgeBytes(["untouched", "paired", "never worse"]), judgeSteadiness(), judgeRecall(realWorld)];
}

describe("Ebb's own check", () => {
  test("finds no fault in Ebb as it is", { timeout: TIMEOUT_MS }, async () => {
    await expectLaw(realWorld, () => [judgeOwnCheck]);
  });

  test("finds no fault either while the store fails and recovers", { timeout: TIMEOUT_MS }, async () => {
    for (const session of sampled(RUNS, SEED)) {
      expect(await runInBadWeather(session, realWorld, null, [judgeOwnCheckInBadWeather])).toEqual([]);
    }
  });

  test.each(stoppedMutants)("stops a keeper that $name", { timeout: TIMEOUT_MS }, async ({ world }) => {
    expect(await firstViolation(world, () => [judgeOwnCheck], SESSIONS_MAX, SEED)).toMatch(/: own check: /);
    expect(await firstViolation(world, judgeAll, HARMLESS_SESSIONS, SEED)).toBeNull();
  });
});
