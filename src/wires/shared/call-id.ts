import { sha256Hex } from "../../lib/hash.ts";
import { toJsonBytes } from "../../lib/json-scan.ts";
import { membersOf } from "../../lib/json-spans.ts";
import { spliceBody } from "./splice.ts";

const ID_CHARS = 24;

/** An id for a call that has none of its own, made of what tells it: the same each time. */
export function madeCallId(prefix: string, ...told: readonly (string | number)[]): string {
  return `${prefix}${sha256Hex(JSON.stringify(told)).slice(0, ID_CHARS)}`;
}

/** The JSON of an object with another string as one of its members; without that member it stays as it is. */
export function withMember(json: string, name: string, value: string): string {
  const text = toJsonBytes(Buffer.from(json));
  const span = membersOf(text, 0).spans.get(name);
  if (span === undefined) return json;
  return Buffer.concat(spliceBody(text.bytes, [{ ...span, bytes: Buffer.from(JSON.stringify(value)) }])).toString();
}
