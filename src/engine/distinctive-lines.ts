/** Lines of a text that hardly stand anywhere else by chance, by hash and in ascending order. */
export type LineIndex = Uint32Array;

/** Of longer texts only the beginning is looked at. */
const TEXT_CHARS_MAX = 1_048_576;
const LINES_MAX = 4_096;
const LINE_CHARS_MIN = 40;
const LINE_CHARS_MAX = 1_000;
const WORDS_MIN = 4;
const WORD = /[\p{L}\p{N}_]{2,}/gu;

/** The distinctive lines of a text that come once in it. */
export function lineIndexOf(text: string): LineIndex {
  const counts = new Map<number, number>();
  for (const line of distinctiveLinesIn(text, LINES_MAX)) {
    const hash = hashOf(line);
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  const once = Array.from(counts).filter(([, count]) => count === 1);
  return Uint32Array.from(once, ([hash]) => hash).sort();
}

/** True where the indexed text probably has the line; false is certain for the lines that were indexed. */
export function mayHaveLine(index: LineIndex, line: string): boolean {
  const hash = hashOf(line);
  let low = 0;
  let high = index.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((index[middle] ?? 0) < hash) low = middle + 1;
    else high = middle;
  }
  return index[low] === hash;
}

/** Lines, without the white space around them, that are long enough and of enough words to tell a text by; at most `linesMax`. */
export function distinctiveLinesIn(text: string, linesMax: number): readonly string[] {
  const lines: string[] = [];
  const charsMax = Math.min(text.length, TEXT_CHARS_MAX);
  for (let start = 0; start < charsMax && lines.length < linesMax; ) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    if (end - start >= LINE_CHARS_MIN && end - start <= LINE_CHARS_MAX) {
      const line = text.slice(start, end).trim();
      if (isDistinctive(line)) lines.push(line);
    }
    start = end + 1;
  }
  return lines;
}

function isDistinctive(line: string): boolean {
  return line.length >= LINE_CHARS_MIN && (line.match(WORD)?.length ?? 0) >= WORDS_MIN;
}

/** FNV-1a over code units. */
function hashOf(line: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < line.length; at++) hash = Math.imul(hash ^ line.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
