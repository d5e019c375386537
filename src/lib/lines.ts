/** Lines of a text: each LF ends one, a non-empty rest is one. The ends are exclusive and include the LF. */
export function lineEnds(text: string): readonly number[] {
  const ends: number[] = [];
  let from = text.indexOf("\n");
  while (from !== -1) {
    ends.push(from + 1);
    from = text.indexOf("\n", from + 1);
  }
  if (ends.at(-1) !== text.length && text.length > 0) ends.push(text.length);
  return ends;
}

/** The first `count` lines without their line ends, each cut to `charsMax` code units at a character boundary. */
export function headLines(text: string, count: number, charsMax: number): readonly string[] {
  const lines: string[] = [];
  let start = 0;
  while (lines.length < count && start < text.length) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    lines.push(cutAt(text.slice(start, Math.min(end, start + charsMax + 1)), charsMax));
    start = end + 1;
  }
  return lines;
}

/** At most `charsMax` code units, never half a surrogate pair. */
export function cutAt(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const unit = text.charCodeAt(charsMax - 1);
  const isHalf = unit >= 0xd800 && unit <= 0xdbff;
  return text.slice(0, isHalf ? charsMax - 1 : charsMax);
}
