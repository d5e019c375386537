import { sha256Hex } from "../../lib/hash.ts";
import { imageSizeOf } from "../../lib/image-size.ts";
import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { addSeed } from "../shared/draft.ts";
import { PROMPT_CACHE_BREAKPOINT } from "../shared/openai-cache.ts";
import { readOrigin } from "../shared/origin.ts";
import type { Origin, Slot } from "../shared/seed.ts";
import { stringAt } from "../shared/value.ts";
import type { Draft } from "./draft.ts";
import type { Part } from "./outline.ts";
import { stableSha } from "./stable.ts";

/** Where a part with media stands: in a message by itself, or as the `number`th (from 1) of the result of `callId`. */
export interface MediaPlace {
  readonly blockIndex: number;
  readonly callId: string | null;
  readonly number: number;
}

/** A string that carries a file. */
interface DataUrl {
  readonly span: Span;
  readonly mediaType: string;
  /** Characters behind its comma. */
  readonly encodedLength: number;
}

const MEDIA_TYPES: ReadonlySet<string | null> = new Set(["input_image", "input_file", "input_audio"]);
const HEAD = /^data:([^;,]{0,128})(?:;[^;,]{0,128})*;base64,/i;
const HEAD_LENGTH_MAX = 512;

/** Adds an image or a file; false, and nothing added, where the part is neither. Only an image that the body carries is replaced. */
export function addMedia(text: JsonBytes, part: Part, place: MediaPlace, draft: Draft): boolean {
  if (!MEDIA_TYPES.has(part.type)) return false;
  const url = dataUrlIn(text, part.members.get("image_url"));
  if (part.type === "input_image" && url !== null) addCarried(text, part, url, place, draft);
  else addNamed(text, part, place, draft);
  return true;
}

function addCarried(text: JsonBytes, part: Part, url: DataUrl, place: MediaPlace, draft: Draft): void {
  const origin: Origin = { kind: "data-url", span: url.span };
  const original = readOrigin(text, origin);
  const { bytes } = original;
  const digest = sha256Hex(bytes);
  // Characters that are no base64 are passed over, and others may read other bytes.
  const isWhole = bytes.length > 0 && url.encodedLength === 4 * Math.ceil(bytes.length / 3);
  const item = {
    kind: "media",
    callId: place.callId,
    mediaType: url.mediaType,
    blockIndex: place.blockIndex,
    digest,
    bytes: bytes.length,
    lines: 0,
    dimensions: imageSizeOf(bytes),
    carriedBytes: url.span.end - url.span.start,
    isReplaceable: isWhole && !part.hasDuplicates,
  } as const;
  const breakpoint = part.members.get(PROMPT_CACHE_BREAKPOINT) ?? null;
  const slot: Slot | null = isWhole ? { kind: "block", block: part.span, breakpoint } : null;
  addSeed(draft, text, { item, ...keyOf(place, digest), origin, slot }, original);
}

/** What the body only refers to, and files: neither is replaced. */
function addNamed(text: JsonBytes, part: Part, place: MediaPlace, draft: Draft): void {
  const origin: Origin = { kind: "raw", span: part.span };
  const original = readOrigin(text, origin);
  const item = {
    kind: "media",
    callId: place.callId,
    mediaType: part.type === "input_image" ? "image/*" : "application/*",
    blockIndex: place.blockIndex,
    digest: sha256Hex(original.bytes),
    bytes: original.bytes.length,
    lines: 0,
    dimensions: null,
    carriedBytes: part.span.end - part.span.start,
    isReplaceable: false,
  } as const;
  addSeed(draft, text, { item, ...keyOf(place, stableSha(text, part)), origin, slot: null }, original);
}

function keyOf({ callId, number }: MediaPlace, sha: string): { readonly keyStem: string; readonly isNamed: boolean } {
  const keyStem = callId === null ? `media:${sha}` : `media:${callId}#${number}:${sha}`;
  return { keyStem, isNamed: callId !== null };
}

/** Null for a URL that only refers, and for one whose text is not base64. */
function dataUrlIn(text: JsonBytes, span: Span | undefined): DataUrl | null {
  const url = stringAt(text, span);
  if (span === undefined || url === null) return null;
  const head = HEAD.exec(url.slice(0, HEAD_LENGTH_MAX));
  if (head === null) return null;
  return { span, mediaType: head[1]?.toLowerCase() || "image/*", encodedLength: url.length - head[0].length };
}
