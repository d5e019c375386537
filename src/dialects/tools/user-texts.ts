import { isAbsolutePath } from "../../lib/paths.ts";

/** One element and nothing beside it. */
const WRAPPED = /^<([A-Za-z][\w-]*)(?:\s[^>]*)?>[\s\S]*<\/\1>$/;

/** True for words that are not one element alone: agents put what nobody typed into elements. */
export function isPlainText(text: string): boolean {
  const words = text.trim();
  return words !== "" && !WRAPPED.test(words);
}

/** The first absolute directory that a group of a pattern finds in the texts; the pattern has no flags `g` or `y`. */
export function firstDirectory(texts: readonly string[], pattern: RegExp): string | null {
  for (const text of texts) {
    const found = pattern
      .exec(text)
      ?.slice(1)
      .find((group) => group !== undefined)
      ?.trim();
    if (found !== undefined && isAbsolutePath(found)) return found;
  }
  return null;
}
