import fc from "fast-check";
import { expect } from "vitest";
import { sessions } from "./client/moves.ts";
import { MOVES_MAX, sampled } from "./client/samples.ts";
import { newTally, runSession, type Tally, type Watcher, type World } from "./world.ts";

/** Cases per law: few by default, `EBB_TEST_LAW_RUNS` of them in CI. */
export const RUNS = Number(process.env.EBB_TEST_LAW_RUNS ?? 200);
/** The cases are the same in every run, so that a failure is about the change; `EBB_TEST_LAW_SEED` draws others. */
export const SEED = Number(process.env.EBB_TEST_LAW_SEED ?? 41_410_117);
export const TIMEOUT_MS = 600_000;
const RELEASE_SHARE_MIN = 0.3;

/** Makes the judges of one session; they remember what they saw of it. */
export type Judges = (world: World) => readonly Watcher[];

/** Fails with the smallest session in which a judge sees a violation, and where too few sessions release anything. */
export async function expectLaw(world: World, judges: Judges, runs = RUNS): Promise<void> {
  const tally = newTally();
  await fc.assert(
    fc.asyncProperty(sessions(MOVES_MAX), async (session) => {
      expect(await runSession(session, world, judges(world), tally)).toEqual([]);
    }),
    { numRuns: runs, seed: SEED },
  );
  expectReleases(tally);
}

/** Prints how many sessions released something, and fails under three in ten. */
export function expectReleases({ withRelease, sessions, requests, releases, attachments }: Tally): void {
  const counts = `${releases} releases, ${attachments} of attachments`;
  expectShare(withRelease, sessions, `${sessions} sessions, ${requests} requests, ${counts}`);
  expect(attachments).toBeGreaterThan(0);
}

/** Prints the share of sessions with a release, and fails under three in ten. */
export function expectShare(withRelease: number, all: number, words: string): void {
  const share = withRelease / all;
  process.stdout.write(`${words}, something released in ${Math.round(share * 100)} % of the sessions\n`);
  expect(share).toBeGreaterThanOrEqual(RELEASE_SHARE_MIN);
}

/** The first violation that a judge sees within `runs` sessions; null where all of them pass. */
export async function firstViolation(world: World, judges: Judges, runs: number, seed: number): Promise<string | null> {
  for (const session of sampled(runs, seed)) {
    const [violation] = await runSession(session, world, judges(world));
    if (violation !== undefined) return violation;
  }
  return null;
}
