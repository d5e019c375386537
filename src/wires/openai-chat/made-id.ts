import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { scanJson, toJsonBytes } from "../../lib/json-scan.ts";

/** Ids that were made begin with it, so that they are told from those that came. */
export const MADE_PREFIX = "unnamed:";
const SHA_CHARS = 16;

/** The beginning of the id of a call that came without one: by its name and arguments, whatever white space they hold. */
export function madeStem(name: string, argumentBytes: Uint8Array): string {
  const text = toJsonBytes(argumentBytes);
  const scan = scanJson(text);
  const form = scan.ok ? canonicalJson(text, scan.value.start, null) : argumentBytes;
  return `${MADE_PREFIX}${name}:${sha256Hex(form).slice(0, SHA_CHARS)}`;
}

/** True for an id that was made, or that came and looks like one. */
export function isMadeId(callId: string): boolean {
  return callId.startsWith(MADE_PREFIX);
}
