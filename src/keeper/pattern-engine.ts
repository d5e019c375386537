import { RE2JS } from "re2js";
import type { PatternEngine } from "../model/ports.ts";

const PATTERN_CHARS_MAX = 1_000;

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
        return { ok: true, test: (line) => compiled.matcher(line).find() };
      } catch (error) {
        return { ok: false, words: `the pattern is not a regular expression: ${messageOf(error)}` };
      }
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
