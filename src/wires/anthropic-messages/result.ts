import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { addSeed } from "../shared/draft.ts";
import { measureText, readOrigin } from "../shared/origin.ts";
import { type Origin, type Slot, sealSeed } from "../shared/seed.ts";
import { isTrueAt, kindOf, nameAt } from "../shared/value.ts";
import type { Block } from "./block.ts";
import { CACHE_CONTROL } from "./cache-control.ts";
import { createDraft, type Draft } from "./draft.ts";
import { addMedia } from "./media.ts";

/** A result's content, sorted into what can be replaced and what stays. */
interface ResultContent {
  readonly texts: TextPart[];
  /** The result's own media, to be added after it. */
  readonly media: Draft;
  /** Nothing in it forbids replacing the text. */
  isPlain: boolean;
}

/** One text of a result: its string, and where its block stands in the content list. */
interface TextPart {
  readonly string: Span;
  /** Cuts the block with one comma: the one before it, or the one behind it. */
  readonly withCommaBefore: Span;
  readonly withCommaBehind: Span;
  readonly index: number;
  readonly hasBreakpoint: boolean;
}

/** Adds a tool result and, after it, the media it holds; false, and nothing added, where it names no call. */
export function addResult(text: JsonBytes, block: Block, blockIndex: number, draft: Draft): boolean {
  const callId = nameAt(text, block.members.get("tool_use_id"));
  if (callId === null) return false;
  const content = readContent(text, block, { blockIndex, callId });
  const origin: Origin = { kind: "strings", spans: content.texts.map((part) => part.string) };
  const original = readOrigin(text, origin);
  const size = measureText(original);
  const isReplaceable = content.isPlain && original.isExact && !block.hasDuplicates && content.texts.length > 0;
  const item = {
    kind: "result",
    callId,
    isError: isTrueAt(text, block.members.get("is_error")),
    mediaCount: content.media.seeds.length,
    isReplaceable,
    blockIndex,
    ...size,
  } as const;
  const slot = slotOf(content);
  addSeed(draft, text, { item, keyStem: `result:${callId}:${size.digest}`, isNamed: true, origin, slot }, original);
  // Of a content list that comes twice nobody can tell which one counts.
  for (const seed of content.media.seeds) {
    const added = block.hasDuplicates ? sealSeed(seed) : seed;
    const made = content.media.originals.get(seed);
    draft.seeds.push(added);
    if (made !== undefined) draft.originals.set(added, made);
  }
  return true;
}

/**
 * The string that takes the new text, all other text blocks cut. The last block with a breakpoint is chosen where only text
 * stands before it, so that the breakpoint stays and the text keeps its place; any other breakpoint goes with its block.
 */
function slotOf({ texts }: ResultContent): Slot | null {
  const first = texts[0]?.index ?? 0;
  const kept = texts.findLast((part, count) => part.hasBreakpoint && part.index - first === count) ?? texts[0];
  if (kept === undefined) return null;
  const others = texts.filter((part) => part !== kept);
  return {
    kind: "text",
    text: kept.string,
    cuts: others.map((part) => (part.index < kept.index ? part.withCommaBehind : part.withCommaBefore)),
  };
}

function readContent(
  text: JsonBytes,
  block: Block,
  place: { readonly blockIndex: number; readonly callId: string },
): ResultContent {
  const content: ResultContent = { texts: [], media: createDraft(), isPlain: true };
  const span = block.members.get("content");
  if (block.inner !== null) readList(text, block.inner, place, content);
  else if (span !== undefined && kindOf(text, span) === "string") content.texts.push(onlyText(span));
  else content.isPlain = span === undefined || kindOf(text, span) === "null";
  return content;
}

function readList(
  text: JsonBytes,
  blocks: readonly Block[],
  place: { readonly blockIndex: number; readonly callId: string },
  content: ResultContent,
): void {
  for (const [index, block] of blocks.entries()) {
    const isText = addString(text, blocks, index, content);
    const isMedia = block.type === "image" || block.type === "document";
    const number = content.media.seeds.length + 1;
    const isKnown = isText || (isMedia && addMedia(text, block, { ...place, number }, content.media));
    if (!isKnown || block.hasDuplicates) content.isPlain = false;
  }
}

/** Takes a text block in; false where it is none. */
function addString(text: JsonBytes, blocks: readonly Block[], index: number, content: ResultContent): boolean {
  const block = blocks[index];
  const string = block?.members.get("text");
  if (block?.type !== "text" || string === undefined || kindOf(text, string) !== "string") return false;
  const { start, end } = block.span;
  const breakpoint = block.members.get(CACHE_CONTROL);
  content.texts.push({
    string,
    withCommaBefore: { start: blocks[index - 1]?.span.end ?? start, end },
    withCommaBehind: { start, end: blocks[index + 1]?.span.start ?? end },
    index,
    hasBreakpoint: breakpoint !== undefined && kindOf(text, breakpoint) !== "null",
  });
  return true;
}

function onlyText(string: Span): TextPart {
  return { string, withCommaBefore: string, withCommaBehind: string, index: 0, hasBreakpoint: false };
}
