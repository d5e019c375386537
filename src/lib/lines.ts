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
