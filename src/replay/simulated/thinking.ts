import { sha256Hex } from "../../lib/hash.ts";
import type { ThinkingBinding } from "../../model/cache.ts";
import type { JsonObject } from "../../model/json.ts";
import type { MismatchAnswer } from "./binding.ts";
import type { CacheEditShape } from "./cache-edits.ts";
import { blocksOf, isThinking, normalBlock, promptToolsOf, systemBlocksOf } from "./content.ts";
import { canonicalJson, objectsOf, omit, stringOf } from "./json.ts";
import { invalid, type Refusal } from "./refusal.ts";
import { judgeThinking, type SigningPoint } from "./signature.ts";

/** How the thinking of a request is judged. */
export interface ThinkingRules {
  readonly binding: ThinkingBinding;
  readonly onMismatch: MismatchAnswer;
  /** The request may choose what happens to thinking that no longer fits. */
  readonly hasControls: boolean;
  /** References of results count as little as breakpoints; null: there are none. */
  readonly cacheEdits: CacheEditShape | null;
}

/** What became of one thinking block that failed a check, in the API's terms. */
export interface InputTransformation {
  readonly type: "thinking_dropped" | "thinking_mismatch_allowed";
  /** `messages.N.content.M`. */
  readonly path: string;
  readonly reason: "prefix_binding_mismatch" | "model_binding_mismatch";
}

export type Verified =
  | {
      readonly ok: true;
      readonly next: SigningPoint;
      /** Thinking that is no part of the prompt: `message.block` indexes. */
      readonly dropped: ReadonlySet<string>;
      readonly transformations: readonly InputTransformation[];
    }
  | { readonly ok: false; readonly refusal: Refusal };

/**
 * Checks every thinking block of the request against what stands before it as it was sent. A binding model takes no
 * changed prefix, no thinking taken from the middle and none put back; thinking may be missing from the start, from the
 * end, or altogether. Thinking of another model is dropped, a changed signature always refused.
 */
export function verifyThinking(request: JsonObject, rules: ThinkingRules): Verified {
  const places = new Map<string, number>();
  const dropped = new Set<string>();
  const transformations: InputTransformation[] = [];
  let isDropping = false;
  let point = startOf(request, rules.binding);
  for (const { block, role, place } of placedBlocksOf(request)) {
    if (!isThinking(block)) {
      point = { ...point, prefix: extend(point.prefix, role, withoutReference(block, rules.cacheEdits)) };
      continue;
    }
    const path = `messages.${place.replace(".", ".content.")}`;
    const verdict = judgeThinking(block, point, places);
    if (verdict.kind === "tampered") {
      if (rules.onMismatch === "unchecked") continue;
      return { ok: false, refusal: invalid(`${path}: ${INVALID}`) };
    }
    if (verdict.kind === "foreign") {
      dropped.add(place);
      transformations.push({ type: "thinking_dropped", path, reason: "model_binding_mismatch" });
      continue;
    }
    const isMoved = verdict.kind === "moved";
    if (isMoved && rules.onMismatch === "error") return { ok: false, refusal: bound(path, rules.hasControls) };
    isDropping ||= isMoved && rules.onMismatch === "drop";
    if (isDropping) {
      dropped.add(place);
      transformations.push({ type: "thinking_dropped", path, reason: "prefix_binding_mismatch" });
      continue;
    }
    if (isMoved && rules.onMismatch === "allow") {
      transformations.push({ type: "thinking_mismatch_allowed", path, reason: "prefix_binding_mismatch" });
    }
    point = { ...point, first: point.first === "" ? verdict.mark : point.first, previous: verdict.mark };
    places.set(verdict.mark, places.size);
  }
  return { ok: true, next: point, dropped, transformations };
}

const INVALID = "Invalid `signature` in `thinking` block";
const BOUND =
  'The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';
const NEEDS_HEADER =
  "That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.";

function bound(path: string, hasControls: boolean): Refusal {
  return invalid(`${path}: ${INVALID}. ${BOUND}${hasControls ? "" : ` ${NEEDS_HEADER}`}`);
}

interface Placed {
  readonly block: JsonObject;
  readonly role: string;
  /** `message.block` indexes. */
  readonly place: string;
}

function placedBlocksOf(request: JsonObject): readonly Placed[] {
  return objectsOf(request.messages).flatMap((message, messageIndex) =>
    blocksOf(message.content).map((block, blockIndex) => ({
      block,
      role: stringOf(message.role),
      place: `${messageIndex}.${blockIndex}`,
    })),
  );
}

function startOf(request: JsonObject, binding: ThinkingBinding): SigningPoint {
  const tools = promptToolsOf(request).map(normalBlock);
  const prefix = sha256Hex(canonicalJson([tools, systemBlocksOf(request).map(normalBlock)]));
  return { model: stringOf(request.model), binding, prefix, first: "", previous: "" };
}

function extend(prefix: string, role: string, block: JsonObject): string {
  return sha256Hex(`${prefix}${role}${canonicalJson(normalBlock(block))}`);
}

function withoutReference(block: JsonObject, shape: CacheEditShape | null): JsonObject {
  return shape !== null && block.type === "tool_result" ? omit(block, shape.referenceMember) : block;
}
