/** The line end a text uses: that of its first line. */
export function lineEndOf(text: string): "\n" | "\r\n" {
  const at = text.indexOf("\n");
  return at > 0 && text[at - 1] === "\r" ? "\r\n" : "\n";
}

/** `text` with `insert` in place of what stands from `start` to `end`. */
export function spliced(text: string, start: number, end: number, insert: string): string {
  return text.slice(0, start) + insert + text.slice(end);
}

/** What stands between the last line end in `space` and its end; null where it holds no line end. */
export function indentIn(space: string): string | null {
  const at = space.lastIndexOf("\n");
  return at === -1 ? null : space.slice(at + 1);
}
