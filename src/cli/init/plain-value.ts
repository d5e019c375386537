import type { KeyPath } from "./syntax.ts";

/** The value at `path`; undefined where there is none. */
export function valueAt(value: unknown, path: KeyPath): unknown {
  let found = value;
  for (const key of path) {
    if (!isMap(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

/** The same with `value` at `path`, maps made on the way; undefined takes the key out. */
export function withValueAt(whole: unknown, path: KeyPath, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (value === undefined && valueAt(whole, path) === undefined) return whole;
  const entries = isMap(whole) ? Object.entries(whole) : [];
  const inner = withValueAt(isMap(whole) ? whole[key] : undefined, rest, value);
  const others = entries.filter(([name]) => name !== key);
  return Object.fromEntries(inner === undefined ? others : [...others, [key, inner]]);
}

/** The same without maps that stand at one of the `paths` and hold nothing, the longest path first. */
export function withoutEmptyAt(whole: unknown, paths: readonly KeyPath[]): unknown {
  const longestFirst = paths.toSorted((one, other) => other.length - one.length);
  return longestFirst.reduce((value: unknown, path) => {
    const found = valueAt(value, path);
    return isMap(found) && Object.keys(found).length === 0 ? withValueAt(value, path, undefined) : value;
  }, whole);
}

/** True where both hold the same, whatever the order of keys. */
export function isSame(one: unknown, other: unknown): boolean {
  return sortedText(one) === sortedText(other);
}

/** True for a map, also one without a prototype. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function sortedText(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) => {
      if (typeof inner === "bigint") return `integer ${inner}`;
      if (typeof inner === "number" && !Number.isFinite(inner)) return `number ${inner}`;
      if (!isMap(inner)) return inner;
      return Object.fromEntries(Object.entries(inner).toSorted(([left], [right]) => (left < right ? -1 : 1)));
    }) ?? ""
  );
}
