/** Fails on our own mistakes only; never for input, environment or provider. */
export function assert(condition: boolean, words: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${words}`);
}
