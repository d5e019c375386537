import { type JsonBytes, type Span, skipValue } from "../../lib/json-scan.ts";
import { visitMembers } from "../../lib/json-spans.ts";
import { type Block, visitBlocks } from "./block.ts";

/** A message by the spans of its parts, before any of them is read. */
export interface Outline {
  /** Begins with the message; what follows it is none of it. */
  readonly text: JsonBytes;
  readonly span: Span;
  readonly role: Span | undefined;
  readonly content: Span | undefined;
  /** Blocks of list content; null for any other content. */
  readonly blocks: readonly Block[] | null;
  readonly hasDuplicates: boolean;
  /** It has members beside role and content. */
  readonly hasOthers: boolean;
}

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** Finds the parts of the message that `text` begins with; a failure where it is no valid JSON. */
export function outlineMessage(text: JsonBytes): Outline | number {
  if (text.bytes[0] !== OPEN_BRACE) {
    const end = skipValue(text, 0);
    const span = { start: 0, end };
    const nothing = { role: undefined, content: undefined, blocks: null, hasDuplicates: false, hasOthers: false };
    return end < 0 ? end : { text, span, ...nothing };
  }
  const members = new Map<string, Span>();
  let hasDuplicates = false;
  let blocks: Block[] | null = null;
  const end = visitMembers(text, 0, (key, start) => {
    const list: Block[] | null = key === "content" && text.bytes[start] === OPEN_BRACKET ? [] : null;
    const valueEnd = list === null ? skipValue(text, start) : visitBlocks(text, start, list);
    if (key === "content") blocks = list;
    hasDuplicates ||= members.has(key);
    members.set(key, { start, end: valueEnd });
    return valueEnd;
  });
  if (end < 0) return end;
  const span = { start: 0, end };
  const role = members.get("role");
  const content = members.get("content");
  const hasOthers = members.size > Number(role !== undefined) + Number(content !== undefined);
  return { text, span, role, content, blocks, hasDuplicates, hasOthers };
}
