import { type JsonBytes, type Span, skipSpace } from "../../lib/json-scan.ts";
import { kindOf } from "./value.ts";

const SPACE = 0x20;

/** Where the last element of a valid list ends, told without a walk over the others; null where there is none, or no list. */
export function endOfLast(text: JsonBytes, span: Span): number | null {
  if (kindOf(text, span) !== "array" || skipSpace(text, span.start + 1) === span.end - 1) return null;
  let end = span.end - 1;
  while ((text.bytes[end - 1] ?? 0) <= SPACE) end -= 1;
  return end;
}
