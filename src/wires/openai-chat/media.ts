import { sha256Hex } from "../../lib/hash.ts";
import { imageSizeOf } from "../../lib/image-size.ts";
import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { decodeString } from "../../lib/json-spans.ts";
import { addSeed, type SeedDraft } from "../shared/draft.ts";
import { PROMPT_CACHE_BREAKPOINT } from "../shared/openai-cache.ts";
import { readOrigin } from "../shared/origin.ts";
import type { Origin, Slot } from "../shared/seed.ts";
import { kindOf, stringAt } from "../shared/value.ts";
import { CACHE_CONTROL } from "./breakpoints.ts";
import { membersAt, type ObjectOutline } from "./object.ts";

/** Where media stand: in a message by themselves, or as the `number`th (from 1) of the result of `callId`. */
export interface MediaPlace {
  readonly blockIndex: number;
  readonly callId: string | null;
  readonly number: number;
}

/** The string that holds or names the media, and how. */
interface MediaSource {
  readonly span: Span;
  /** The value that holds it. */
  readonly holder: Span;
  /** Of the bytes that the string holds in base64; null where it only refers to them. */
  readonly mediaType: string | null;
}

const BASE64_URL = /^data:([^;,]{1,128})(?:;[^;,]{1,128}){0,8};base64,/;
/** Long enough for the head of any data URL that is read. */
const URL_HEAD_BYTES = 2_048;

/**
 * Adds a picture or file; false, and nothing added, where the part has nothing to tell it by. Only a picture that the body carries is
 * replaced.
 */
export function addMedia(text: JsonBytes, part: ObjectOutline, place: MediaPlace, draft: SeedDraft): boolean {
  const isImage = stringAt(text, part.members.get("type")) === "image_url";
  const source = isImage ? imageSource(text, part) : fileSource(text, part);
  if (source === null) return false;
  const { span, holder, mediaType } = source;
  const isHeld = mediaType !== null;
  const origin: Origin = isHeld ? { kind: "data-url", span } : { kind: "strings", spans: [span] };
  const original = readOrigin(text, origin);
  const digest = sha256Hex(original.bytes);
  const isCarried = isImage && isHeld && original.bytes.length > 0 && isPlainBase64(text, span, original.bytes.length);
  const { blockIndex, callId, number } = place;
  const item = {
    kind: "media",
    callId,
    mediaType: mediaType ?? (isImage ? "image/*" : "application/*"),
    blockIndex,
    digest,
    bytes: original.bytes.length,
    lines: 0,
    dimensions: isHeld ? imageSizeOf(original.bytes) : null,
    carriedBytes: holder.end - holder.start,
    // A breakpoint in the words of another provider would leave with it.
    isReplaceable: isCarried && !part.hasDuplicates && !part.members.has(CACHE_CONTROL),
  } as const;
  const breakpoint = part.members.get(PROMPT_CACHE_BREAKPOINT) ?? null;
  const slot: Slot | null = isCarried ? { kind: "block", block: part.span, breakpoint } : null;
  const keyStem = callId === null ? `media:${digest}` : `media:${callId}#${number}:${digest}`;
  addSeed(draft, text, { item, keyStem, isNamed: callId !== null, origin, slot }, original);
  return true;
}

/** Some servers take the URL without an object around it. */
function imageSource(text: JsonBytes, { members }: ObjectOutline): MediaSource | null {
  const holder = members.get("image_url");
  if (holder === undefined) return null;
  const span = kindOf(text, holder) === "string" ? holder : membersAt(text, holder).get("url");
  return sourceAt(text, span, holder);
}

function fileSource(text: JsonBytes, { members }: ObjectOutline): MediaSource | null {
  const holder = members.get("file");
  if (holder === undefined) return null;
  const file = membersAt(text, holder);
  return sourceAt(text, file.get("file_data"), holder) ?? sourceAt(text, file.get("file_id"), holder);
}

function sourceAt(text: JsonBytes, span: Span | undefined, holder: Span): MediaSource | null {
  if (span === undefined || kindOf(text, span) !== "string") return null;
  const head = text.bytes.toString("latin1", span.start + 1, Math.min(span.end - 1, span.start + URL_HEAD_BYTES));
  // An escaped slash is the one escape that is common in a URL.
  const mediaType = BASE64_URL.exec(head.replaceAll("\\/", "/"))?.[1] ?? null;
  return { span, holder, mediaType };
}

/** False where characters that are no base64 were passed over, so that others may read other bytes. */
function isPlainBase64(text: JsonBytes, span: Span, bytes: number): boolean {
  const url = decodeString(text, span);
  return url.length - url.indexOf(",") - 1 === 4 * Math.ceil(bytes / 3);
}
