import type { TokenCounter } from "../../model/ports.ts";

/** Shorter texts are counted faster than they are looked up. */
const CHARS_MIN = 200;

/** Counts each long text once. It holds every text it met: let it go with the recording it served. */
export function createRememberingCounter(counter: TokenCounter): TokenCounter {
  const known = new Map<string, number>();
  return {
    count(text) {
      if (text.length < CHARS_MIN) return counter.count(text);
      const before = known.get(text);
      if (before !== undefined) return before;
      const tokens = counter.count(text);
      known.set(text, tokens);
      return tokens;
    },
  };
}
