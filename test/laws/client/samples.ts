import fc from "fast-check";
import { type Session, sessions } from "./moves.ts";

/** Most moves of one session. */
export const MOVES_MAX = 16;

/** The same sessions for the same seed, in any process. */
export function sampled(runs: number, seed: number): readonly Session[] {
  return fc.sample(sessions(MOVES_MAX), { numRuns: runs, seed });
}
