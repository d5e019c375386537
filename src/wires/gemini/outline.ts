import { type JsonBytes, type Span, skipValue } from "../../lib/json-scan.ts";
import { visitMembers } from "../../lib/json-spans.ts";
import type { EntryOutline } from "../shared/history.ts";

/** A content by the spans of its members, before any of them is read. */
export interface ContentOutline extends EntryOutline {
  /** Begins with the content; what follows it is none of it. */
  readonly text: JsonBytes;
  /** Empty where it is no object. */
  readonly members: ReadonlyMap<string, Span>;
  readonly hasDuplicates: boolean;
}

const OPEN_BRACE = 0x7b;

/** Finds the parts of the content that `text` begins with; a failure where it is no valid JSON. */
export function outlineContent(text: JsonBytes): ContentOutline | number {
  const members = new Map<string, Span>();
  if (text.bytes[0] !== OPEN_BRACE) {
    const end = skipValue(text, 0);
    return end < 0 ? end : { text, span: { start: 0, end }, members, hasDuplicates: false };
  }
  let hasDuplicates = false;
  const end = visitMembers(text, 0, (key, start) => {
    const valueEnd = skipValue(text, start);
    hasDuplicates ||= members.has(key);
    members.set(key, { start, end: valueEnd });
    return valueEnd;
  });
  return end < 0 ? end : { text, span: { start: 0, end }, members, hasDuplicates };
}
