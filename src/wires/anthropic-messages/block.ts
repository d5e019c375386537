import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { skipValue } from "../../lib/json-scan.ts";
import { visitElements, visitMembers } from "../../lib/json-spans.ts";
import { stringAt } from "./value.ts";

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
 * Walks a content list once and tells each block, with the blocks inside it, without reading their values. Answers the
 * list's end. The bytes must be valid JSON.
 */
export function visitBlocks(text: JsonBytes, start: number, visit: (block: Block, index: number) => void): number {
  return visitElements(text, start, (valueStart, index) => {
    const block = blockAt(text, valueStart, true);
    visit(block, index);
    return block.span.end;
  });
}

function blockAt(text: JsonBytes, start: number, isOuter: boolean): Block {
  const members = new Map<string, Span>();
  if (text.bytes[start] !== 0x7b) {
    const span = { start, end: skipValue(text, start) };
    return { span, type: null, members, hasDuplicates: false, inner: null };
  }
  let hasDuplicates = false;
  let inner: Block[] | null = null;
  const end = visitMembers(text, start, (key, valueStart) => {
    const isList = isOuter && key === "content" && text.bytes[valueStart] === 0x5b;
    const list = isList ? listAt(text, valueStart) : null;
    const valueEnd = list === null ? skipValue(text, valueStart) : list.end;
    if (key === "content") inner = list?.blocks ?? null;
    hasDuplicates ||= members.has(key);
    members.set(key, { start: valueStart, end: valueEnd });
    return valueEnd;
  });
  return { span: { start, end }, type: stringAt(text, members.get("type")), members, hasDuplicates, inner };
}

function listAt(text: JsonBytes, start: number): { readonly blocks: Block[]; readonly end: number } {
  const blocks: Block[] = [];
  const end = visitElements(text, start, (valueStart) => {
    const block = blockAt(text, valueStart, false);
    blocks.push(block);
    return block.span.end;
  });
  return { blocks, end };
}
