import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import type { Digest } from "../../model/item.ts";
import type { JsonValue } from "../../model/json.ts";
import { addSeed } from "../shared/draft.ts";
import { measureText, readOrigin } from "../shared/origin.ts";
import type { Origin } from "../shared/seed.ts";
import { addText } from "../shared/text.ts";
import { kindOf, nameAt } from "../shared/value.ts";
import type { Block } from "./block.ts";
import { canCarry, lifetimesIn } from "./breakpoints.ts";
import { CACHE_CONTROL } from "./cache-control.ts";
import type { Draft } from "./draft.ts";
import { placeOfBlock } from "./layout.ts";
import { addMedia } from "./media.ts";
import { addResult } from "./result.ts";

/** Adds the items of one block of a message's content. */
export function addBlock(text: JsonBytes, block: Block, blockIndex: number, draft: Draft): void {
  const countBefore = draft.seeds.length;
  if (!addKnown(text, block, blockIndex, draft)) addOpaque(text, block, blockIndex, draft);
  const itemCount = draft.seeds.length;
  draft.blocks.push(placeOfBlock(block, draft.seeds[countBefore]));
  for (const ttlMs of lifetimesIn(text, block)) draft.breakpoints.push({ itemCount, ttlMs });
  if (itemCount > countBefore && canCarry(block)) draft.carrierCount = itemCount;
}

/** Adds what has no known type or shape as one item that is never altered. */
export function addOpaque(
  text: JsonBytes,
  block: Pick<Block, "span" | "type">,
  blockIndex: number,
  draft: Draft,
): void {
  const origin: Origin = { kind: "canonical", span: block.span, omitted: CACHE_CONTROL };
  const original = readOrigin(text, origin);
  const size = measureText(original);
  const type = block.type ?? kindOf(text, block.span);
  const item = { kind: "opaque", type, blockIndex, ...size } as const;
  addSeed(draft, text, { item, keyStem: `opaque:${size.digest}`, isNamed: false, origin, slot: null }, original);
}

/** False where the block is not of a known type and shape. */
function addKnown(text: JsonBytes, block: Block, blockIndex: number, draft: Draft): boolean {
  switch (block.type) {
    case "text": {
      const span = block.members.get("text");
      if (span === undefined || kindOf(text, span) !== "string") return false;
      addText(text, span, blockIndex, draft);
      return true;
    }
    case "tool_use":
      return addCall(text, block, blockIndex, draft);
    case "tool_result":
      return addResult(text, block, blockIndex, draft);
    case "image":
    case "document":
      return addMedia(text, block, { blockIndex, callId: null, number: 0 }, draft);
    case "thinking":
      return addThinking(text, block, block.members.get("thinking"), blockIndex, draft);
    case "redacted_thinking":
      return addThinking(text, block, block.members.get("data"), blockIndex, draft);
    default:
      return false;
  }
}

function addCall(text: JsonBytes, block: Block, blockIndex: number, draft: Draft): boolean {
  const callId = nameAt(text, block.members.get("id"));
  const name = nameAt(text, block.members.get("name"));
  const span = block.members.get("input");
  if (callId === null || name === null || span === undefined) return false;
  const origin: Origin = { kind: "raw", span };
  const original = readOrigin(text, origin);
  const input = JSON.parse(text.bytes.toString("utf8", span.start, span.end)) as JsonValue;
  const item = { kind: "call", callId, name, input, blockIndex, ...measureText(original) } as const;
  addSeed(draft, text, { item, keyStem: `call:${callId}:${name}`, isNamed: true, origin, slot: null }, original);
  return true;
}

/** The key covers the whole block, its signature included; the original is what can be read of it. */
function addThinking(text: JsonBytes, block: Block, span: Span | undefined, blockIndex: number, draft: Draft): boolean {
  if (span === undefined || kindOf(text, span) !== "string") return false;
  const origin: Origin = { kind: "strings", spans: [span] };
  const original = readOrigin(text, origin);
  const size = measureText(original);
  const item = { kind: "thinking", blockIndex, ...size } as const;
  const keyStem = `thinking:${thinkingSha(text, block, span, size.digest)}`;
  addSeed(draft, text, { item, keyStem, isNamed: false, origin, slot: null }, original);
  return true;
}

/** Covers every member but the breakpoint; the long one by its digest, so that it is not decoded again. */
function thinkingSha(text: JsonBytes, block: Block, long: Span, longDigest: Digest): Digest {
  const names = [...block.members.keys()].filter((name) => name !== CACHE_CONTROL).sort();
  const values = names.map((name) => {
    const span = block.members.get(name);
    return span === undefined || span === long ? longDigest : canonicalJson(text, span.start, CACHE_CONTROL);
  });
  return sha256Hex(JSON.stringify([names, values]));
}
