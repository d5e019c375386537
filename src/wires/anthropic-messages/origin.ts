import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { JsonBytes } from "../../lib/json-scan.ts";
import { decodeString } from "../../lib/json-spans.ts";
import { type StringBytes, stringBytes } from "../../lib/json-strings.ts";
import { decodeWtf8, joinWtf8 } from "../../lib/wtf8.ts";
import type { Digest } from "../../model/item.ts";
import { CACHE_CONTROL } from "./cache-control.ts";
import type { Origin } from "./seed.ts";

const LF = 0x0a;

/** An item's original; `isExact` is false where text was not UTF-8 and could not be kept as it came. */
export interface Original {
  readonly bytes: Uint8Array;
  /** Its text, where that was decoded on the way. */
  readonly text: string | null;
  readonly isExact: boolean;
}

/** Bytes of an original, made from the message it stands in; they may share the message's memory. */
export function readOrigin(message: JsonBytes, origin: Origin): Original {
  switch (origin.kind) {
    case "strings":
      return joinStrings(origin.spans.map((span) => stringBytes(message, span)));
    case "base64":
      return exact(Buffer.from(decodeString(message, origin.span), "base64"));
    case "raw":
      return exact(message.bytes.subarray(origin.span.start, origin.span.end));
    case "canonical":
      return exact(Buffer.from(canonicalJson(message, origin.span.start, CACHE_CONTROL)));
  }
}

/** Digest and size of an original text. */
export function measureText(original: Original): {
  readonly digest: Digest;
  readonly bytes: number;
  readonly lines: number;
} {
  const { bytes, text } = original;
  return { digest: sha256Hex(bytes), bytes: bytes.length, lines: text === null ? lineCount(bytes) : lineCountOf(text) };
}

function exact(bytes: Uint8Array): Original {
  return { bytes, text: null, isExact: true };
}

function joinStrings(parts: readonly StringBytes[]): Original {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  return {
    bytes: joinWtf8(parts.map((part) => part.bytes)),
    text: parts.map((part) => part.text ?? decodeWtf8(part.bytes)).join(""),
    isExact: parts.every((part) => part.isExact),
  };
}

function lineCount(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let lines = text.length > 0 && text[text.length - 1] !== LF ? 1 : 0;
  for (let at = text.indexOf(LF); at !== -1; at = text.indexOf(LF, at + 1)) lines += 1;
  return lines;
}

/** The same count, several times as fast, where the text is at hand. */
function lineCountOf(text: string): number {
  let lines = text !== "" && !text.endsWith("\n") ? 1 : 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
