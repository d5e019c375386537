import { RE2JS } from "re2js";
import type { PatternEngine } from "../model/ports.ts";

const PATTERN_CHARS_MAX = 1_000;
/** Steps of a compiled pattern, each of which may be taken for every character of a text. Counts unfold into steps. */
const PATTERN_STEPS_MAX = 2_000;

/** Regular expressions of users in RE2's linear time: no look-around, no back-references. */
export function createPatternEngine(): PatternEngine {
  return {
    compile(pattern, ignoreCase) {
      if (pattern.length > PATTERN_CHARS_MAX) {
        return {
          ok: false,
          words: `the pattern has ${pattern.length} characters, at most ${PATTERN_CHARS_MAX} are taken`,
        };
      }
      try {
        const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
        const steps = compiled.programSize();
        if (steps > PATTERN_STEPS_MAX) return { ok: false, words: tooLarge(steps) };
        return { ok: true, steps, test: (line) => compiled.test(line) };
      } catch (error) {
        return { ok: false, words: `the pattern is not a regular expression: ${messageOf(error)}` };
      }
    },
  };
}

function tooLarge(steps: number): string {
  return `the pattern unfolds to ${steps} steps, at most ${PATTERN_STEPS_MAX} are taken: use smaller repeat counts`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
