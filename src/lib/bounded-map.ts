/** A map that holds at most `entriesMax` entries; the ones not used for longest go first, half of them at a time. */
export interface BoundedMap<Key, Value> {
  readonly size: number;
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  values(): IterableIterator<Value>;
}

/** An empty map of at most `entriesMax` entries. */
export function createBoundedMap<Key, Value>(entriesMax: number): BoundedMap<Key, Value> {
  const generationMax = Math.max(1, Math.floor(entriesMax / 2));
  let young = new Map<Key, Value>();
  let old = new Map<Key, Value>();

  function set(key: Key, value: Value): void {
    old.delete(key);
    young.set(key, value);
    if (young.size < generationMax) return;
    old = young;
    young = new Map();
  }

  return {
    get size() {
      return young.size + old.size;
    },
    get(key) {
      const value = young.get(key);
      if (value !== undefined) return value;
      const kept = old.get(key);
      if (kept !== undefined) set(key, kept);
      return kept;
    },
    set,
    delete(key) {
      young.delete(key);
      old.delete(key);
    },
    *values() {
      yield* Array.from(young.values());
      yield* Array.from(old.values());
    },
  };
}
