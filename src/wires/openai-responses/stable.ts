import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { JsonBytes } from "../../lib/json-scan.ts";
import type { Digest } from "../../model/item.ts";
import { PROMPT_CACHE_BREAKPOINT } from "../shared/openai-cache.ts";
import { kindOf } from "../shared/value.ts";
import type { Part } from "./outline.ts";

/** Members that clients drop, add or fill in when they send back what the model said. */
const CLIENT_OWNED: ReadonlySet<string> = new Set([
  "id",
  "status",
  "annotations",
  "logprobs",
  "parsed",
  "parsed_arguments",
  "internal_chat_message_metadata_passthrough",
  PROMPT_CACHE_BREAKPOINT,
]);

/** SHA-256 of what no client changes in a part whose kind is not known; an absent member is the same as a null. */
export function stableSha(text: JsonBytes, { type, members, span }: Omit<Part, "hasDuplicates">): Digest {
  if (members.size === 0) return sha256Hex(canonicalJson(text, span.start, null));
  const isNamed = type === "item_reference";
  const told: [string, string][] = [];
  for (const [name, value] of members) {
    const isOwned = CLIENT_OWNED.has(name) && !(isNamed && name === "id");
    if (name === "type" || isOwned || kindOf(text, value) === "null") continue;
    told.push([name, canonicalJson(text, value.start, null)]);
  }
  told.sort(([one], [other]) => (one < other ? -1 : 1));
  return sha256Hex(JSON.stringify([type, told]));
}
