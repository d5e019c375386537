import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { decodeString } from "../../lib/json-spans.ts";

export type ValueKind = "object" | "array" | "string" | "number" | "boolean" | "null";

/** What kind of value a span of valid JSON is. */
export function kindOf(text: JsonBytes, span: Span): ValueKind {
  switch (text.bytes[span.start]) {
    case 0x7b:
      return "object";
    case 0x5b:
      return "array";
    case 0x22:
      return "string";
    case 0x6e:
      return "null";
    case 0x74:
    case 0x66:
      return "boolean";
    default:
      return "number";
  }
}

/** The text of a string value; null when the value is absent or anything else. */
export function stringAt(text: JsonBytes, span: Span | undefined): string | null {
  return span !== undefined && kindOf(text, span) === "string" ? decodeString(text, span) : null;
}

/** Longest name, in UTF-16 units: names are kept for as long as a conversation. */
export const NAME_LENGTH_MAX = 512;

/** The text of a name (a model, a tool, a call, a session); null when the value is absent, too long, or anything else. */
export function nameAt(text: JsonBytes, span: Span | undefined): string | null {
  const name = stringAt(text, span);
  return name === null || name.length > NAME_LENGTH_MAX ? null : name;
}

/** True for the literal `true`. */
export function isTrueAt(text: JsonBytes, span: Span | undefined): boolean {
  return span !== undefined && text.bytes[span.start] === 0x74;
}

/** True for the literal `false`. */
export function isFalseAt(text: JsonBytes, span: Span | undefined): boolean {
  return span !== undefined && text.bytes[span.start] === 0x66;
}

/** What came instead of an expected value, in words. */
export function namedKind(text: JsonBytes, span: Span | undefined): string {
  if (span === undefined) return "nothing";
  const kind = kindOf(text, span);
  return kind === "null" ? kind : `${kind === "object" || kind === "array" ? "an" : "a"} ${kind}`;
}
