import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { JsonBytes } from "../../lib/json-scan.ts";
import { decodeString } from "../../lib/json-spans.ts";
import { stringBytes } from "../../lib/json-strings.ts";
import { joinWtf8 } from "../../lib/wtf8.ts";
import type { Digest } from "../../model/item.ts";
import { CACHE_CONTROL } from "./cache-control.ts";
import type { Origin } from "./seed.ts";

const LF = 0x0a;

/** An item's original; `isExact` is false where text was not UTF-8 and could not be kept as it came. */
export interface Original {
  readonly bytes: Uint8Array;
  readonly isExact: boolean;
}

/** Bytes of an original, made from the message it stands in; they may share the message's memory. */
export function readOrigin(message: JsonBytes, origin: Origin): Original {
  switch (origin.kind) {
    case "strings": {
      const parts = origin.spans.map((span) => stringBytes(message, span));
      return { bytes: joinWtf8(parts.map((part) => part.bytes)), isExact: parts.every((part) => part.isExact) };
    }
    case "base64":
      return { bytes: Buffer.from(decodeString(message, origin.span), "base64"), isExact: true };
    case "raw":
      return { bytes: message.bytes.subarray(origin.span.start, origin.span.end), isExact: true };
    case "canonical":
      return { bytes: Buffer.from(canonicalJson(message, origin.span.start, CACHE_CONTROL)), isExact: true };
  }
}

/** Digest and size of an original text. */
export function measureText(bytes: Uint8Array): {
  readonly digest: Digest;
  readonly bytes: number;
  readonly lines: number;
} {
  return { digest: sha256Hex(bytes), bytes: bytes.length, lines: countLines(bytes) };
}

function countLines(bytes: Uint8Array): number {
  let lines = bytes.length > 0 && bytes[bytes.length - 1] !== LF ? 1 : 0;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === LF) lines += 1;
  return lines;
}
