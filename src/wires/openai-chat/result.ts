import type { JsonBytes } from "../../lib/json-scan.ts";
import { addSeed } from "../shared/draft.ts";
import { measureText, readOrigin } from "../shared/origin.ts";
import { onlyText, slotOfTexts, type TextPart, textPart } from "../shared/result-texts.ts";
import type { Origin } from "../shared/seed.ts";
import { kindOf, stringAt } from "../shared/value.ts";
import { CACHE_CONTROL, hasBreakpoint } from "./breakpoints.ts";
import { createDraft, type Draft } from "./draft.ts";
import { addMedia } from "./media.ts";
import type { ObjectOutline } from "./object.ts";
import type { Outline } from "./outline.ts";

/** A result's content, sorted into what can be replaced and what stays. */
interface ResultContent {
  readonly texts: TextPart[];
  /** The result's own media, to be added after it. */
  readonly media: Draft;
  hasBreakpoint: boolean;
  /** Nothing in it forbids replacing the text. */
  isPlain: boolean;
}

/** Adds the result that a message is and, after it, the media it holds. `callId` is "" where it names no call. */
export function addResult(outline: Outline, callId: string, draft: Draft): void {
  const { text } = outline;
  const content = readContent(outline, callId);
  const origin: Origin = { kind: "strings", spans: content.texts.map((part) => part.string) };
  const original = readOrigin(text, origin);
  const size = measureText(original);
  const isReplaceable = content.isPlain && original.isExact && content.texts.length > 0;
  const item = {
    kind: "result",
    callId,
    // The API has no member for it.
    isError: false,
    mediaCount: content.media.seeds.length,
    isReplaceable,
    blockIndex: 0,
    ...size,
  } as const;
  const slot = slotOfTexts(content.texts);
  addSeed(draft, text, { item, keyStem: `result:${callId}:${size.digest}`, isNamed: true, origin, slot }, original);
  for (const seed of content.media.seeds) {
    const made = content.media.originals.get(seed);
    draft.seeds.push(seed);
    if (made !== undefined) draft.originals.set(seed, made);
  }
  if (content.hasBreakpoint) draft.breakpoints.push(draft.seeds.length);
}

function readContent({ text, members, parts }: Outline, callId: string): ResultContent {
  const content: ResultContent = { texts: [], media: createDraft(), hasBreakpoint: false, isPlain: true };
  const span = members.get("content");
  if (parts !== null) readParts(text, parts, callId, content);
  else if (span !== undefined && kindOf(text, span) === "string") content.texts.push(onlyText(span));
  else content.isPlain = span === undefined || kindOf(text, span) === "null";
  return content;
}

function readParts(text: JsonBytes, parts: readonly ObjectOutline[], callId: string, content: ResultContent): void {
  for (const [index, part] of parts.entries()) {
    const type = stringAt(text, part.members.get("type"));
    const isText = type === "text" && addString(text, parts, index, content);
    const place = { blockIndex: 0, callId, number: content.media.seeds.length + 1 };
    const isMedia = (type === "image_url" || type === "file") && addMedia(text, part, place, content.media);
    if ((!isText && !isMedia) || part.hasDuplicates) content.isPlain = false;
    content.hasBreakpoint ||= hasBreakpoint(text, part);
  }
}

/** Takes a text part in; false where it has no text. */
function addString(text: JsonBytes, parts: readonly ObjectOutline[], index: number, content: ResultContent): boolean {
  const part = parts[index];
  const string = part?.members.get("text");
  if (part === undefined || string === undefined || kindOf(text, string) !== "string") return false;
  const hasMark = hasBreakpoint(text, part) || part.members.has(CACHE_CONTROL);
  content.texts.push(textPart(parts, index, { string, hasBreakpoint: hasMark }));
  return true;
}
