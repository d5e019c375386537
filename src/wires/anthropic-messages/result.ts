import type { JsonBytes } from "../../lib/json-scan.ts";
import { addSeed } from "../shared/draft.ts";
import { measureText, readOrigin } from "../shared/origin.ts";
import { onlyText, slotOfTexts, type TextPart, textPart } from "../shared/result-texts.ts";
import { type Origin, sealSeed } from "../shared/seed.ts";
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
  const slot = slotOfTexts(content.texts);
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
  const breakpoint = block.members.get(CACHE_CONTROL);
  const hasMark = breakpoint !== undefined && kindOf(text, breakpoint) !== "null";
  content.texts.push(textPart(blocks, index, { string, hasBreakpoint: hasMark }));
  return true;
}
