import { createHmac } from "node:crypto";
import { sha256Hex } from "../../lib/hash.ts";
import type { ThinkingBinding } from "../../model/cache.ts";
import type { JsonObject } from "../../model/json.ts";
import { blocksOf, isThinking, normalBlock, promptToolsOf, systemBlocksOf } from "./content.ts";
import { canonicalJson, objectsOf, stringOf } from "./json.ts";
import { invalid, type Refusal } from "./refusal.ts";

/** What the next thinking block of this conversation will be signed over. */
export interface SigningPoint {
  readonly model: string;
  readonly binding: ThinkingBinding;
  /** Hash of everything sent, thinking apart. */
  readonly prefix: string;
  /** Mark of the thinking block before it; "" when there is none. */
  readonly previous: string;
}

export type Verified =
  | {
      readonly ok: true;
      readonly next: SigningPoint;
      /** Thinking the model cannot read because another model made it: `message.block` indexes. */
      readonly dropped: ReadonlySet<string>;
    }
  | { readonly ok: false; readonly refusal: Refusal };

/** No secret: the same signature must come from every process, with and without a proxy in between. */
const KEY = "ebb simulated provider";
const VERSION = "sim1";
const MARK_CHARS = 24;

/**
 * Checks every thinking block of the request against what stands before it now. A binding model refuses a changed
 * prefix, thinking taken from the middle, and thinking put back; thinking may be missing at the start or the end.
 * Not enforced: nothing is refused.
 */
export function verifyThinking(request: JsonObject, binding: ThinkingBinding, isEnforced: boolean): Verified {
  const model = stringOf(request.model);
  const dropped = new Set<string>();
  let point: SigningPoint = { model, binding, prefix: headHash(request), previous: "" };
  let isFirst = true;
  for (const [messageIndex, message] of objectsOf(request.messages).entries()) {
    for (const [blockIndex, block] of blocksOf(message.content).entries()) {
      if (!isThinking(block)) {
        point = { ...point, prefix: extend(point.prefix, stringOf(message.role), block) };
        continue;
      }
      const verdict = verdictOf(block, point, isFirst);
      if (verdict.kind === "refused" && !isEnforced) continue;
      if (verdict.kind === "refused") return { ok: false, refusal: refused(messageIndex, blockIndex, verdict.words) };
      if (verdict.kind === "foreign") {
        dropped.add(`${messageIndex}.${blockIndex}`);
        continue;
      }
      point = { ...point, previous: verdict.mark };
      isFirst = false;
    }
  }
  return { ok: true, next: point, dropped };
}

/** The signature of a thinking text that the model emits at this point of the conversation. */
export function signThinking(point: SigningPoint, thinking: string): string {
  const body = [VERSION, point.model, point.previous, markOf(point, thinking)];
  return Buffer.from(JSON.stringify(body)).toString("base64");
}

type Verdict =
  | { readonly kind: "valid"; readonly mark: string }
  | { readonly kind: "foreign" }
  | { readonly kind: "refused"; readonly words: string };

const BOUND = "The block is bound to another conversation: what stands before it is not what it was made after.";
const UNKNOWN = "The signature was not made here, or the block was changed.";

function verdictOf(block: JsonObject, point: SigningPoint, isFirst: boolean): Verdict {
  const parts = block.type === "thinking" ? readSignature(stringOf(block.signature)) : null;
  if (parts === null) return { kind: "refused", words: UNKNOWN };
  if (parts.model !== point.model) return { kind: "foreign" };
  const made = { ...point, previous: parts.previous };
  if (markOf(made, stringOf(block.thinking)) !== parts.mark) {
    return { kind: "refused", words: point.binding === "prefix" ? BOUND : UNKNOWN };
  }
  if (point.binding === "prefix" && !isFirst && parts.previous !== point.previous) {
    return { kind: "refused", words: BOUND };
  }
  return { kind: "valid", mark: parts.mark };
}

function readSignature(signature: string): { model: string; previous: string; mark: string } | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(signature, "base64").toString("utf8"));
    if (!Array.isArray(parts) || parts.length !== 4 || parts[0] !== VERSION) return null;
    const [, model, previous, mark] = parts.map(String);
    return { model: model ?? "", previous: previous ?? "", mark: mark ?? "" };
  } catch {
    return null;
  }
}

function markOf(point: SigningPoint, thinking: string): string {
  const prefix = point.binding === "prefix" ? point.prefix : "";
  const message = JSON.stringify([point.model, prefix, point.previous, thinking]);
  return createHmac("sha256", KEY).update(message).digest("base64url").slice(0, MARK_CHARS);
}

function headHash(request: JsonObject): string {
  const tools = promptToolsOf(request).map(normalBlock);
  return sha256Hex(canonicalJson([tools, systemBlocksOf(request).map(normalBlock)]));
}

function extend(prefix: string, role: string, block: JsonObject): string {
  return sha256Hex(`${prefix}${role}${canonicalJson(normalBlock(block))}`);
}

function refused(messageIndex: number, blockIndex: number, words: string): Refusal {
  return invalid(`messages.${messageIndex}.content.${blockIndex}: Invalid signature in thinking block. ${words}`);
}
