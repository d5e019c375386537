import type { JsonValue } from "./json.ts";

/** Who speaks in a message. Anthropic's mid-conversation system entries are messages of role `system`. */
export type Role = "user" | "assistant" | "system";

/**
 * Identity of an item: call id and SHA-256 of its original, or kind, SHA-256 and occurrence where there is no call id.
 * Never a position, never folded text. A call's key is its call id and name alone: clients re-shape echoed arguments.
 */
export type ItemKey = string;

/** What a marker prints: 12 characters of lower-case Crockford base32 of SHA-256(key). */
export type Address = string;

/** SHA-256 in lower-case hexadecimal. */
export type Digest = string;

interface ItemBase {
  readonly key: ItemKey;
  readonly role: Role;
  /** Index of the message in the transcript, from 0. */
  readonly messageIndex: number;
  /** Index of the block in its message, from 0; 0 for string content. */
  readonly blockIndex: number;
  /** SHA-256 of the original. */
  readonly digest: Digest;
  /** UTF-8 bytes of the original text, or decoded bytes of media. */
  readonly bytes: number;
  /** Lines of the original text (LF ends a line, a non-empty rest is a line); 0 for media. */
  readonly lines: number;
}

/** The text of one tool result; several text blocks of one result are one item. */
export interface ResultItem extends ItemBase {
  readonly kind: "result";
  readonly callId: string;
  readonly isError: boolean;
  /** Count of media blocks in the same result; each of them is an item of its own. */
  readonly mediaCount: number;
  /** False where the wire cannot replace the text safely (unknown blocks inside, invalid text). */
  readonly isReplaceable: boolean;
}

/** An image or document, alone in a message or inside a tool result. */
export interface MediaItem extends ItemBase {
  readonly kind: "media";
  /** The call whose result holds it; null when it stands in a message by itself. */
  readonly callId: string | null;
  readonly mediaType: string;
  /** Width and height in pixels; null where the bytes do not state them. */
  readonly dimensions: Dimensions | null;
  /** Bytes that the source takes in the body as it was encoded there. */
  readonly carriedBytes: number;
  /** False where the body only refers to it, or where no text can stand in its place. */
  readonly isReplaceable: boolean;
}

/** Size of a picture in pixels. */
export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

export interface TextItem extends ItemBase {
  readonly kind: "text";
}

export interface CallItem extends ItemBase {
  readonly kind: "call";
  readonly callId: string;
  readonly name: string;
  readonly input: JsonValue;
}

/** Thinking, redacted thinking and other model-private content; opaque, never altered. */
export interface ThinkingItem extends ItemBase {
  readonly kind: "thinking";
}

/** A block whose type Ebb does not know, or must not touch. */
export interface OpaqueItem extends ItemBase {
  readonly kind: "opaque";
  readonly type: string;
}

/** The smallest piece of a transcript that can be held or released alone. */
export type Item = ResultItem | MediaItem | TextItem | CallItem | ThinkingItem | OpaqueItem;
