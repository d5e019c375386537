import { isSame, valueAt, withoutEmptyAt, withValueAt } from "./plain-value.ts";
import type { Placed } from "./syntax.ts";

/** True where `after` is `before` without the placed value, or with what stood in its place, and nothing else is different. */
export function isTakenOut(before: unknown, after: unknown, { path, known, before: source }: Placed): boolean {
  if (source !== null) return isSame(withValueAt(before, path, valueAt(after, path)), after);
  const made = path.map((_, index) => path.slice(0, index)).slice(known + 1);
  return isSame(withoutEmptyAt(withValueAt(before, path, undefined), made), withoutEmptyAt(after, made));
}
