/** A map that forgets its least recently used entry beyond `entriesMax`. */
export interface BoundedMap<Key, Value> {
  readonly size: number;
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  values(): IterableIterator<Value>;
}

export function createBoundedMap<Key, Value>(entriesMax: number): BoundedMap<Key, Value> {
  const entries = new Map<Key, Value>();
  return {
    get size() {
      return entries.size;
    },
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= entriesMax) return;
      const oldest = entries.keys().next();
      if (!oldest.done) entries.delete(oldest.value);
    },
    delete(key) {
      entries.delete(key);
    },
    values: () => entries.values(),
  };
}
