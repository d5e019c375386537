import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { imageSizeOf } from "../../lib/image-size.ts";
import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { decodeString, membersOf } from "../../lib/json-spans.ts";
import { addSeed } from "../shared/draft.ts";
import { type Original, readOrigin } from "../shared/origin.ts";
import type { Origin, Slot } from "../shared/seed.ts";
import { kindOf, nameAt, stringAt } from "../shared/value.ts";
import type { Block } from "./block.ts";
import { CACHE_CONTROL } from "./cache-control.ts";
import type { Draft } from "./draft.ts";

/** Where a media block stands: in a message by itself, or as the `number`th (from 1) of the result of `callId`. */
export interface MediaPlace {
  readonly blockIndex: number;
  readonly callId: string | null;
  readonly number: number;
}

/** Adds an image or document; false, and nothing added, where the block has no source to tell it by. */
export function addMedia(text: JsonBytes, block: Block, place: MediaPlace, draft: Draft): boolean {
  const source = block.members.get("source");
  if (source === undefined || kindOf(text, source) !== "object") return false;
  const members = membersOf(text, source.start).spans;
  const origin = originOf(text, source, members);
  const original = readOrigin(text, origin);
  const digest = sha256Hex(original.bytes);
  const isCarried = isWhole(text, original, origin);
  const { blockIndex, callId, number } = place;
  const mediaType = nameAt(text, members.get("media_type")) ?? (block.type === "image" ? "image/*" : "application/*");
  const item = {
    kind: "media",
    callId,
    mediaType,
    blockIndex,
    digest,
    bytes: original.bytes.length,
    lines: 0,
    dimensions: origin.kind === "base64" ? imageSizeOf(original.bytes) : null,
    carriedBytes: source.end - source.start,
    isReplaceable: isCarried && !block.hasDuplicates,
  } as const;
  // Of media that are only named, clients may spell the source differently.
  const breakpoint = block.members.get(CACHE_CONTROL) ?? null;
  const slot: Slot | null = isCarried ? { kind: "block", block: block.span, breakpoint } : null;
  const sha = origin.kind === "raw" ? sha256Hex(canonicalJson(text, source.start, CACHE_CONTROL)) : digest;
  const keyStem = callId === null ? `media:${sha}` : `media:${callId}#${number}:${sha}`;
  addSeed(draft, text, { item, keyStem, isNamed: callId !== null, origin, slot }, original);
  return true;
}

/** What the body only refers to has no bytes that could come back, and of nested blocks the bytes are not one file's. */
function isWhole(text: JsonBytes, original: Original, origin: Origin): boolean {
  if (original.bytes.length === 0 || !original.isExact) return false;
  return (
    origin.kind === "strings" || (origin.kind === "base64" && isPlainBase64(text, origin.span, original.bytes.length))
  );
}

/** False where characters that are no base64 were passed over, so that others may read other bytes. */
function isPlainBase64(text: JsonBytes, span: Span, bytes: number): boolean {
  const chars = 4 * Math.ceil(bytes / 3);
  return span.end - span.start - 2 === chars || decodeString(text, span).length === chars;
}

function originOf(text: JsonBytes, source: Span, members: ReadonlyMap<string, Span>): Origin {
  const encoded = members.get("data");
  switch (stringAt(text, members.get("type"))) {
    case "base64":
      return encoded !== undefined && kindOf(text, encoded) === "string"
        ? { kind: "base64", span: encoded }
        : { kind: "raw", span: source };
    case "text":
      return encoded !== undefined && kindOf(text, encoded) === "string"
        ? { kind: "strings", spans: [encoded] }
        : { kind: "raw", span: source };
    // Blocks inside may carry breakpoints, which are the client's.
    case "content":
      return { kind: "canonical", span: source, omitted: CACHE_CONTROL };
    default:
      return { kind: "raw", span: source };
  }
}
