import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import type { Block } from "./block.ts";
import { CACHE_CONTROL, longerTtl, ttlOf } from "./cache-control.ts";
import { addSeed, createDraft, type Draft } from "./draft.ts";
import { addMedia } from "./media.ts";
import { measureText, readOrigin } from "./origin.ts";
import type { Origin, Slot } from "./seed.ts";
import { isTrueAt, kindOf, stringAt } from "./value.ts";

/** A result's content, sorted into what can be replaced and what stays. */
interface ResultContent {
  readonly strings: Span[];
  readonly cuts: Span[];
  /** The result's own media, to be added after it. */
  readonly media: Draft;
  /** Nothing in it forbids replacing the text. */
  isPlain: boolean;
}

/** Adds a tool result and, after it, the media it holds; false, and nothing added, where it names no call. */
export function addResult(text: JsonBytes, block: Block, blockIndex: number, draft: Draft): boolean {
  const callId = stringAt(text, block.members.get("tool_use_id"));
  if (callId === null) return false;
  const content = readContent(text, block, { blockIndex, callId });
  const origin: Origin = { kind: "strings", spans: content.strings };
  const original = readOrigin(text, origin);
  const size = measureText(original);
  const isReplaceable = content.isPlain && original.isExact && !block.hasDuplicates && content.strings.length > 0;
  const item = {
    kind: "result",
    callId,
    isError: isTrueAt(text, block.members.get("is_error")),
    mediaCount: content.media.seeds.length,
    isReplaceable,
    blockIndex,
    ...size,
  } as const;
  const slot = isReplaceable ? slotOf(content) : null;
  addSeed(draft, text, { item, keyStem: `result:${callId}:${size.digest}`, isNamed: true, origin, slot }, original);
  for (const seed of content.media.seeds) draft.seeds.push(seed);
  for (const [seed, made] of content.media.originals) draft.originals.set(seed, made);
  draft.cacheTtlMs = longerTtl(draft.cacheTtlMs, content.media.cacheTtlMs);
  return true;
}

function slotOf(content: ResultContent): Slot | null {
  const [text] = content.strings;
  return text === undefined ? null : { text, cuts: content.cuts };
}

function readContent(
  text: JsonBytes,
  block: Block,
  place: { readonly blockIndex: number; readonly callId: string },
): ResultContent {
  const content: ResultContent = { strings: [], cuts: [], media: createDraft(), isPlain: true };
  const span = block.members.get("content");
  if (block.inner !== null) readList(text, block.inner, place, content);
  else if (span !== undefined && kindOf(text, span) === "string") content.strings.push(span);
  else content.isPlain = span === undefined || kindOf(text, span) === "null";
  return content;
}

function readList(
  text: JsonBytes,
  blocks: readonly Block[],
  place: { readonly blockIndex: number; readonly callId: string },
  content: ResultContent,
): void {
  let previousEnd = 0;
  for (const block of blocks) {
    const isText = addString(text, block, previousEnd, content);
    const isMedia = block.type === "image" || block.type === "document";
    const number = content.media.seeds.length + 1;
    const isKnown = isText || (isMedia && addMedia(text, block, { ...place, number }, content.media));
    if (!isKnown || block.hasDuplicates) content.isPlain = false;
    content.media.cacheTtlMs = longerTtl(content.media.cacheTtlMs, ttlOf(text, block.members.get(CACHE_CONTROL)));
    previousEnd = block.span.end;
  }
}

/** Takes a text block in; false where it is none. Every text block but the first is cut, with the comma before it. */
function addString(text: JsonBytes, block: Block, previousEnd: number, content: ResultContent): boolean {
  const span = block.members.get("text");
  if (block.type !== "text" || span === undefined || kindOf(text, span) !== "string") return false;
  if (content.strings.length > 0) {
    content.cuts.push({ start: previousEnd, end: block.span.end });
    const breakpoint = block.members.get(CACHE_CONTROL);
    if (breakpoint !== undefined && kindOf(text, breakpoint) !== "null") content.isPlain = false;
  }
  content.strings.push(span);
  return true;
}
