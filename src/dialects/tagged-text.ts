/**
 * The text without the named elements (`<tag>…</tag>`) at its start and end and between white space. Elements in the
 * middle of other words stay: somebody quoted them.
 */
export function withoutTags(text: string, tags: readonly string[]): string {
  let rest = text.trim();
  for (let shorter = withoutOuter(rest, tags); shorter.length < rest.length; shorter = withoutOuter(rest, tags)) {
    rest = shorter;
  }
  return rest;
}

function withoutOuter(text: string, tags: readonly string[]): string {
  for (const tag of tags) {
    const open = `<${tag}>`;
    const close = `</${tag}>`;
    if (text.startsWith(open)) {
      const end = text.indexOf(close, open.length);
      if (end !== -1) return text.slice(end + close.length).trimStart();
    }
    if (text.endsWith(close)) {
      const start = text.lastIndexOf(open);
      if (start !== -1) return text.slice(0, start).trimEnd();
    }
  }
  return text;
}
