import { sha256Hex } from "../../lib/hash.ts";
import { imageSizeOf } from "../../lib/image-size.ts";
import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { decodeString, membersOf } from "../../lib/json-spans.ts";
import { addSeed, type SeedDraft } from "../shared/draft.ts";
import { readOrigin } from "../shared/origin.ts";
import type { Origin, Slot } from "../shared/seed.ts";
import { kindOf, nameAt } from "../shared/value.ts";
import { memberOf } from "./names.ts";
import type { Part } from "./part.ts";

/** Where media stand: in a content by themselves, or as the `number`th (from 1) of the response to `callId`. */
export interface MediaPlace {
  readonly callId: string | null;
  readonly number: number;
}

/** Adds the data that a part carries; false, and nothing added, where it carries none that could be told. */
export function addInlineData(text: JsonBytes, part: Part, { callId, number }: MediaPlace, draft: SeedDraft): boolean {
  const span = memberOf(part.members, "inlineData");
  if (span === undefined || kindOf(text, span) !== "object") return false;
  const { spans, hasDuplicates } = membersOf(text, span.start);
  const data = spans.get("data");
  if (data === undefined || kindOf(text, data) !== "string") return false;
  const origin: Origin = { kind: "base64", span: data };
  const original = readOrigin(text, origin);
  const digest = sha256Hex(original.bytes);
  const isWhole = original.bytes.length > 0 && isPlainBase64(text, data, original.bytes.length);
  // A response takes data among its parts, and no text.
  const takesText = callId === null;
  const item = {
    kind: "media",
    callId,
    mediaType: nameAt(text, memberOf(spans, "mimeType")) ?? "application/*",
    blockIndex: part.blockIndex,
    digest,
    bytes: original.bytes.length,
    lines: 0,
    dimensions: imageSizeOf(original.bytes),
    carriedBytes: span.end - span.start,
    isReplaceable: isWhole && takesText && !part.hasDuplicates && !hasDuplicates,
  } as const;
  const slot: Slot | null = isWhole && takesText ? { kind: "block", block: part.span, breakpoint: null } : null;
  const keyStem = callId === null ? `media:${digest}` : `media:${callId}#${number}:${digest}`;
  addSeed(draft, text, { item, keyStem, isNamed: callId !== null, origin, slot }, original);
  return true;
}

/** False where characters that are no base64 were passed over, so that others may read other bytes. Padding may be left out. */
function isPlainBase64(text: JsonBytes, span: Span, bytes: number): boolean {
  const padded = 4 * Math.ceil(bytes / 3);
  const bare = Math.ceil((bytes * 4) / 3);
  const isLength = (chars: number) => chars === padded || chars === bare;
  return isLength(span.end - span.start - 2) || isLength(decodeString(text, span).length);
}
