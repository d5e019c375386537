import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BuiltSource, buildSource } from "./child/built-source.ts";
import { hashesOfChildren } from "./child/children.ts";
import { sampled } from "./client/samples.ts";
import { judgeBreakpoints } from "./judges/breakpoint-judge.ts";
import { judgeBytes } from "./judges/byte-judge.ts";
import { judgePairs } from "./judges/pair-judge.ts";
import { judgeRecall } from "./judges/recall-judge.ts";
import { judgeSteadiness } from "./judges/steady-judge.ts";
import { judgeTruth } from "./judges/truth-judge.ts";
import { breakpointMutants, cacheMutants } from "./mutants/cache-mutants.ts";
import { drifters } from "./mutants/drifters.ts";
import {
  closedMutants,
  type Mutant,
  pairedMutants,
  recoverableMutants,
  steadyMutants,
  untouchedMutants,
  untruthfulMutants,
  worseMutants,
} from "./mutants/mutants.ts";
import { sourceMutants, worldOf } from "./mutants/source-mutants.ts";
import { runInBadWeather } from "./open-runs.ts";
import { firstViolation, type Judges, TIMEOUT_MS } from "./property.ts";
import { realWorld } from "./world.ts";

/** Sessions a mutant gets until it must have failed; the same for all. */
const SESSIONS_MAX = 400;
const SEED = 20_250_101;
const DRIFT_SESSIONS = 20;

interface Trial {
  readonly law: string;
  readonly mutants: readonly Mutant[];
  readonly judges: Judges;
}

const trials: readonly Trial[] = [
  { law: "untouched", mutants: untouchedMutants, judges: () => [judgeBytes(["untouched"])] },
  { law: "paired", mutants: pairedMutants, judges: () => [judgePairs, judgeBytes(["paired"])] },
  { law: "steady", mutants: [...steadyMutants, ...cacheMutants], judges: () => [judgeSteadiness()] },
  { law: "breakpoints", mutants: breakpointMutants, judges: () => [judgeBreakpoints] },
  { law: "recoverable", mutants: recoverableMutants, judges: (world) => [judgeRecall(world)] },
  { law: "never worse", mutants: worseMutants, judges: () => [judgeBytes(["never worse"])] },
  { law: "truthful", mutants: untruthfulMutants, judges: () => [judgeTruth] },
];

const named = trials.flatMap(({ law, mutants, judges }) => mutants.map((mutant) => ({ law, judges, ...mutant })));

describe("a keeper that", () => {
  test.each(named)("$name breaks the law $law", { timeout: TIMEOUT_MS }, async ({ law, world, judges }) => {
    expect(await firstViolation(world, judges, SESSIONS_MAX, SEED)).toMatch(new RegExp(`^request \\d+: ${law}: `));
  });

  test.each(sourceMutants)("$name breaks the law steady", { timeout: TIMEOUT_MS }, async (mutant) => {
    const world = await worldOf(mutant);
    try {
      expect(await firstViolation(world, () => [judgeSteadiness()], SESSIONS_MAX, SEED)).toMatch(
        /: steady: \w+ acted as if its prefix were broken$/,
      );
    } finally {
      world.remove();
    }
  });

  test.each(closedMutants)("$name breaks the law open on failure", { timeout: TIMEOUT_MS }, async ({ world }) => {
    expect(await firstInBadWeather(world)).toMatch(/^request \d+: (?:open on failure|steady): |^not caught$/);
  });
});

/** What the weather brings to light, or what was thrown. */
async function firstInBadWeather(world: Mutant["world"]): Promise<string | null> {
  for (const session of sampled(SESSIONS_MAX, SEED)) {
    const [violation] = await runInBadWeather(session, world, null).catch((error: unknown) => [
      error instanceof Error ? error.message : String(error),
    ]);
    if (violation !== undefined) return violation;
  }
  return null;
}

describe("a marker that depends on its", () => {
  let source: BuiltSource;

  beforeAll(() => {
    source = buildSource();
  });

  afterAll(() => source.remove());

  test.each(Object.keys(drifters))("%s breaks the law deterministic", { timeout: TIMEOUT_MS }, async (mutant) => {
    const answers = await hashesOfChildren(source, { runs: DRIFT_SESSIONS, seed: SEED, mutant });
    expect(new Set(answers.map(({ hashes }) => hashes.join())).size).toBeGreaterThan(1);
  });
});

describe("Ebb as it is", () => {
  test.each(trials)(
    "keeps the law $law in the very sessions its mutants fail",
    { timeout: TIMEOUT_MS },
    async ({ judges }) => {
      expect(await firstViolation(realWorld, judges, SESSIONS_MAX / 4, SEED)).toBeNull();
    },
  );
});
