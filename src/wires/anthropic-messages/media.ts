import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { membersOf } from "../../lib/json-spans.ts";
import type { Block } from "./block.ts";
import { CACHE_CONTROL } from "./cache-control.ts";
import { addSeed, type Draft } from "./draft.ts";
import { readOrigin } from "./origin.ts";
import type { Origin } from "./seed.ts";
import { kindOf, nameAt, stringAt } from "./value.ts";

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
  } as const;
  // Of media that are only named, clients may spell the source differently.
  const sha = origin.kind === "raw" ? sha256Hex(canonicalJson(text, source.start, CACHE_CONTROL)) : digest;
  const keyStem = callId === null ? `media:${sha}` : `media:${callId}#${number}:${sha}`;
  addSeed(draft, text, { item, keyStem, isNamed: callId !== null, origin, slot: null }, original);
  return true;
}

function originOf(text: JsonBytes, source: Span, members: ReadonlyMap<string, Span>): Origin {
  const encoded = members.get("data");
  switch (stringAt(text, members.get("type"))) {
    case "base64":
      return encoded !== undefined && kindOf(text, encoded) === "string"
        ? { kind: "base64", span: encoded }
        : { kind: "raw", span: source };
    // Blocks inside may carry breakpoints, which are the client's.
    case "content":
      return { kind: "canonical", span: source };
    default:
      return { kind: "raw", span: source };
  }
}
