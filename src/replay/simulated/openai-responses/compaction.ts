import { sha256Hex } from "../../../lib/hash.ts";
import type { JsonObject } from "../../../model/json.ts";
import { typeOfItem } from "./item.ts";
import { itemContent } from "./parts.ts";
import { sealContent } from "./seal.ts";

const ID_CHARS = 24;

/** The item that stands for a conversation from now on. */
export function compactionItem(items: readonly JsonObject[]): JsonObject {
  const id = `cmp_${sha256Hex(JSON.stringify(items)).slice(0, ID_CHARS)}`;
  return {
    id,
    type: "compaction",
    encrypted_content: sealContent(id, "Simulated summary of the conversation so far."),
  };
}

/** The window that compacting leaves: what the user said, word for word, then one item. Source: `CompactedResponse` of the SDK. */
export function compactedWindow(items: readonly JsonObject[]): readonly JsonObject[] {
  const said = items.filter((item) => typeOfItem(item) === "message" && item.role === "user");
  return [
    ...said.map((item, index) => ({
      id: item.id ?? `msg_${sha256Hex(`${index} ${JSON.stringify(item)}`).slice(0, ID_CHARS)}`,
      type: "message",
      status: "completed",
      role: "user",
      content: itemContent(item.content),
    })),
    compactionItem(items),
  ];
}

/** True where a request asks for nothing but the compaction item. */
export function isCompactionAsked(items: readonly JsonObject[]): boolean {
  return items.at(-1)?.type === "compaction_trigger";
}
