import { createHmac } from "node:crypto";
import { sha256Hex } from "../../lib/hash.ts";
import type { ThinkingBinding } from "../../model/cache.ts";
import type { JsonObject } from "../../model/json.ts";
import { stringOf } from "./json.ts";

/** What the next thinking block of this conversation will be signed over. */
export interface SigningPoint {
  readonly model: string;
  readonly binding: ThinkingBinding;
  /** Hash of everything sent, thinking apart. */
  readonly prefix: string;
  /** Mark of the first thinking block in the prompt; "" when there is none. */
  readonly first: string;
  /** Mark of the thinking block before it; "" when there is none. */
  readonly previous: string;
}

/** Thinking of the prompt before a block: places of marks, from 0. */
export type MarkPlaces = ReadonlyMap<string, number>;

/** What a block's signature says: it fits, another model made it, what stands before it changed, or it was never made here. */
export type Verdict =
  | { readonly kind: "valid"; readonly mark: string }
  | { readonly kind: "foreign" }
  | { readonly kind: "moved"; readonly mark: string }
  | { readonly kind: "tampered" };

/** No secret: the same signature must come from every process, with and without a proxy in between. */
const KEY = "ebb simulated provider";
const VERSION = "sim2";
const MARK_CHARS = 24;
const PART_COUNT = 7;

/** The signature of a thinking text that the model emits at this point of the conversation. */
export function signThinking(point: SigningPoint, thinking: string): string {
  const parts = [VERSION, point.model, point.first, point.previous, textMark(thinking), markOf(point, thinking)];
  return Buffer.from(JSON.stringify([...parts, sealOf(parts)])).toString("base64");
}

/**
 * Compares one thinking block with what stands before it now. Thinking may be missing from the start; a block fails
 * where one is missing right before it, or where one stands that was absent when it was made.
 */
export function judgeThinking(block: JsonObject, point: SigningPoint, before: MarkPlaces): Verdict {
  const parts = block.type === "thinking" ? readSignature(stringOf(block.signature)) : null;
  const thinking = stringOf(block.thinking);
  if (parts === null || parts.text !== textMark(thinking)) return { kind: "tampered" };
  if (parts.model !== point.model) return { kind: "foreign" };
  const { mark, first, previous } = parts;
  if (point.binding !== "prefix") return { kind: "valid", mark };
  const made = { ...point, first, previous };
  const isSamePrefix = markOf(made, thinking) === mark;
  const isUnbroken = before.size === 0 || (previous === point.previous && (before.get(first) ?? 0) === 0);
  return { kind: isSamePrefix && isUnbroken ? "valid" : "moved", mark };
}

interface Signature {
  readonly model: string;
  readonly first: string;
  readonly previous: string;
  readonly text: string;
  readonly mark: string;
}

function readSignature(signature: string): Signature | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(signature, "base64").toString("utf8"));
    if (!Array.isArray(parts) || parts.length !== PART_COUNT || parts[0] !== VERSION) return null;
    const [, model = "", first = "", previous = "", text = "", mark = "", seal = ""] = parts.map(String);
    return seal === sealOf(parts.slice(0, -1).map(String)) ? { model, first, previous, text, mark } : null;
  } catch {
    return null;
  }
}

function markOf(point: SigningPoint, thinking: string): string {
  const prefix = point.binding === "prefix" ? point.prefix : "";
  return hmac(JSON.stringify([point.model, prefix, point.first, point.previous, thinking]));
}

/** Tells a signature that was changed from one whose surroundings were. */
function sealOf(parts: readonly string[]): string {
  return hmac(JSON.stringify(["seal", ...parts]));
}

function textMark(thinking: string): string {
  return sha256Hex(thinking).slice(0, MARK_CHARS);
}

function hmac(message: string): string {
  return createHmac("sha256", KEY).update(message).digest("base64url").slice(0, MARK_CHARS);
}
