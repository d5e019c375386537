/** Positions probed one by one from the end: what a request usually appends to a known history. */
const WALK_MAX = 24;

/**
 * The largest position from 1 to `length` that is known, or 0. Sound because histories are stored without gaps: where a
 * position is known, every shorter one is. A short walk from the end, then a binary search.
 */
export function deepestKnown(length: number, isKnown: (position: number) => boolean): number {
  const walkEnd = Math.max(0, length - WALK_MAX);
  for (let position = length; position > walkEnd; position--) {
    if (isKnown(position)) return position;
  }
  let known = 0;
  let unknown = walkEnd + 1;
  while (unknown - known > 1) {
    const middle = (known + unknown) >>> 1;
    if (isKnown(middle)) known = middle;
    else unknown = middle;
  }
  return known;
}
