import { isUtf8 } from "node:buffer";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { JsonBytes } from "../../lib/json-scan.ts";
import { decodeString } from "../../lib/json-spans.ts";
import { type StringBytes, stringBytes } from "../../lib/json-strings.ts";
import { joinWtf8 } from "../../lib/wtf8.ts";
import type { Digest } from "../../model/item.ts";
import type { Origin } from "./seed.ts";

const LF = 0x0a;

/** An item's original; `isExact` is false where text was not UTF-8 and could not be kept as it came. */
export interface Original {
  readonly bytes: Uint8Array;
  /** Line feeds among the bytes, where they were counted on the way. */
  readonly lineFeeds: number | null;
  readonly isExact: boolean;
}

/** Bytes of an original, made from the entry it stands in; they may share its memory. */
export function readOrigin(message: JsonBytes, origin: Origin): Original {
  switch (origin.kind) {
    case "strings":
      return joinStrings(origin.spans.map((span) => stringBytes(message, span)));
    case "base64":
      return exact(Buffer.from(decodeString(message, origin.span), "base64"));
    case "data-url": {
      const url = decodeString(message, origin.span);
      return exact(Buffer.from(url.slice(url.indexOf(",") + 1), "base64"));
    }
    case "raw":
      return asText(message.bytes.subarray(origin.span.start, origin.span.end));
    case "canonical":
      return exact(Buffer.from(canonicalJson(message, origin.span.start, origin.omitted)));
  }
}

/** Digest and size of an original text. */
export function measureText(original: Original): {
  readonly digest: Digest;
  readonly bytes: number;
  readonly lines: number;
} {
  const { bytes } = original;
  const lineFeeds = original.lineFeeds ?? lineFeedsIn(bytes);
  const hasRest = bytes.length > 0 && bytes[bytes.length - 1] !== LF;
  return { digest: sha256Hex(bytes), bytes: bytes.length, lines: lineFeeds + (hasRest ? 1 : 0) };
}

function exact(bytes: Uint8Array): Original {
  return { bytes, lineFeeds: null, isExact: true };
}

/** Bytes that are no UTF-8 are kept as the text they are read as, as those of a string are. */
function asText(bytes: Uint8Array): Original {
  if (isUtf8(bytes)) return exact(bytes);
  return { bytes: Buffer.from(Buffer.from(bytes).toString("utf8")), lineFeeds: null, isExact: false };
}

function joinStrings(parts: readonly StringBytes[]): Original {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  return {
    bytes: joinWtf8(parts.map((part) => part.bytes)),
    lineFeeds: parts.reduce((total, part) => total + part.lineFeeds, 0),
    isExact: parts.every((part) => part.isExact),
  };
}

function lineFeedsIn(bytes: Uint8Array): number {
  let lineFeeds = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) lineFeeds += 1;
  return lineFeeds;
}
