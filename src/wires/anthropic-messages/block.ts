import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { skipValue } from "../../lib/json-scan.ts";
import { visitElements, visitMembers } from "../../lib/json-spans.ts";
import { stringAt } from "../shared/value.ts";

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** A content block by its members' spans. `type` is null where the value is no object or states none. */
export interface Block {
  readonly span: Span;
  readonly type: string | null;
  readonly members: ReadonlyMap<string, Span>;
  readonly hasDuplicates: boolean;
  /** Blocks of its own `content` list; null when it has no list. */
  readonly inner: readonly Block[] | null;
}

/**
 * Walks the content list at `start` into `blocks`, with the blocks inside each, without reading their values. Answers
 * the list's end, or a failure.
 */
export function visitBlocks(text: JsonBytes, start: number, blocks: Block[]): number {
  return visitElements(text, start, (valueStart) => visitBlock(text, valueStart, blocks, true));
}

function visitBlock(text: JsonBytes, start: number, blocks: Block[], isOuter: boolean): number {
  const members = new Map<string, Span>();
  if (text.bytes[start] !== OPEN_BRACE) {
    const end = skipValue(text, start);
    blocks.push({ span: { start, end }, type: null, members, hasDuplicates: false, inner: null });
    return end;
  }
  let hasDuplicates = false;
  let inner: Block[] | null = null;
  const end = visitMembers(text, start, (key, valueStart) => {
    const isContent = isOuter && key === "content";
    const list: Block[] | null = isContent && text.bytes[valueStart] === OPEN_BRACKET ? [] : null;
    const valueEnd = list === null ? skipValue(text, valueStart) : visitInner(text, valueStart, list);
    if (isContent) inner = list;
    hasDuplicates ||= members.has(key);
    members.set(key, { start: valueStart, end: valueEnd });
    return valueEnd;
  });
  if (end >= 0)
    blocks.push({ span: { start, end }, type: stringAt(text, members.get("type")), members, hasDuplicates, inner });
  return end;
}

function visitInner(text: JsonBytes, start: number, blocks: Block[]): number {
  return visitElements(text, start, (valueStart) => visitBlock(text, valueStart, blocks, false));
}
