import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { addSeed } from "../shared/draft.ts";
import { measureText, readOrigin } from "../shared/origin.ts";
import type { Origin } from "../shared/seed.ts";
import { addText } from "../shared/text.ts";
import { kindOf, stringAt } from "../shared/value.ts";
import { CACHE_CONTROL, hasBreakpoint } from "./breakpoints.ts";
import type { Draft } from "./draft.ts";
import { addMedia } from "./media.ts";
import type { ObjectOutline } from "./object.ts";
import type { Outline } from "./outline.ts";

/**
 * Adds the items of a message's content and answers the index of the block behind it; null, and nothing added, where the content
 * is neither text, a list, null nor absent.
 */
export function addContent({ text, members, parts }: Outline, blockStart: number, draft: Draft): number | null {
  if (parts !== null) {
    for (const [index, part] of parts.entries()) addPart(text, part, blockStart + index, draft);
    return blockStart + parts.length;
  }
  const content = members.get("content");
  if (content === undefined || kindOf(text, content) === "null") return blockStart;
  if (kindOf(text, content) !== "string") return null;
  addText(text, content, blockStart, draft);
  return blockStart + 1;
}

/** Adds what has no known type or shape as one item that is never altered. */
export function addOpaque(text: JsonBytes, span: Span, type: string | null, blockIndex: number, draft: Draft): void {
  const origin: Origin = { kind: "canonical", span, omitted: CACHE_CONTROL };
  const original = readOrigin(text, origin);
  const size = measureText(original);
  const item = { kind: "opaque", type: type ?? kindOf(text, span), blockIndex, ...size } as const;
  addSeed(draft, text, { item, keyStem: `opaque:${size.digest}`, isNamed: false, origin, slot: null }, original);
}

/** Adds what the model thought, as text or in any other form. */
export function addThinking(text: JsonBytes, span: Span, blockIndex: number, draft: Draft): void {
  const isText = kindOf(text, span) === "string";
  const origin: Origin = isText
    ? { kind: "strings", spans: [span] }
    : { kind: "canonical", span, omitted: CACHE_CONTROL };
  const original = readOrigin(text, origin);
  const size = measureText(original);
  const sha = isText ? size.digest : sha256Hex(canonicalJson(text, span.start, CACHE_CONTROL));
  const item = { kind: "thinking", blockIndex, ...size } as const;
  addSeed(draft, text, { item, keyStem: `thinking:${sha}`, isNamed: false, origin, slot: null }, original);
}

function addPart(text: JsonBytes, part: ObjectOutline, blockIndex: number, draft: Draft): void {
  if (!addKnown(text, part, blockIndex, draft))
    addOpaque(text, part.span, stringAt(text, part.members.get("type")), blockIndex, draft);
  if (hasBreakpoint(text, part)) draft.breakpoints.push(draft.seeds.length);
}

/** False where the part is not of a known type and shape. */
function addKnown(text: JsonBytes, part: ObjectOutline, blockIndex: number, draft: Draft): boolean {
  switch (stringAt(text, part.members.get("type"))) {
    case "text": {
      const span = part.members.get("text");
      if (span === undefined || kindOf(text, span) !== "string") return false;
      addText(text, span, blockIndex, draft);
      return true;
    }
    case "image_url":
    case "file":
      return addMedia(text, part, { blockIndex, callId: null, number: 0 }, draft);
    case "thinking": {
      const span = part.members.get("thinking");
      if (span === undefined) return false;
      addThinking(text, span, blockIndex, draft);
      return true;
    }
    default:
      return false;
  }
}
