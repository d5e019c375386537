import { addressOf } from "../lib/hash.ts";
import { headLines } from "../lib/lines.ts";
import type { Decision } from "../model/decision.ts";
import type { ItemKey } from "../model/item.ts";
import type { PinnedNote } from "../model/server-clear.ts";
import type { View } from "../model/view.ts";
import { deletionOf, noteOf } from "./cache-edit-note.ts";
import { callText } from "./marker.ts";
import type { LeavingUse } from "./server-clear-cuts.ts";

/** Results told of in words; those before have their addresses alone. */
const LINES_MAX = 60;
const ERROR_LINES = 1;
const ERROR_CHARS = 120;

/** What the note says of a result, on a line of its own; of an error how it began as well. */
export function lineOf({ item, proposal: { reason, markerMode: mode } }: LeavingUse, view: View): string {
  const address = addressOf(item.key);
  const { channel } = view;
  const told = { item, address, recalledFrom: view.recalledFrom(item), label: view.labelOf(item) };
  const { line } = deletionOf({ ...told, reason, mode, channel, tokens: view.tokensOf(item) });
  if (!item.isError || mode === "off") return line;
  const head = headLines(view.textOf(item), ERROR_LINES, ERROR_CHARS).join(" ");
  return head === "" ? line : `${line}; an error: ${JSON.stringify(head)}`;
}

/**
 * The item behind which a new note stands: the last result of the last user message, or else its last item. Null where that message
 * may have been sent before: what was sent keeps its form.
 */
export function noteAnchorOf({ transcript, exposureOf }: View): ItemKey | null {
  const { messages, items } = transcript;
  const last = messages.findLast(({ role }) => role === "user");
  const own =
    last === undefined || transcript.header.toolNames.length === 0 ? [] : items.slice(last.itemStart, last.itemEnd);
  const anchor = own.findLast(({ kind }) => kind === "result") ?? own.at(-1);
  if (anchor === undefined || anchor.kind === "opaque" || own.some((item) => exposureOf(item) !== "new")) return null;
  return anchor.key;
}

/** The text that tells of what the provider cleared, behind an item of the user message it is put into. */
export function clearedNote(cleared: readonly Decision[], anchorKey: ItemKey, { channel }: View): PinnedNote {
  const deletions = cleared.map(({ itemKey, address, originalDigest, originalTokens, marker }, at) => ({
    itemKey,
    address,
    digest: originalDigest,
    tokens: originalTokens,
    line: cleared.length - at > LINES_MAX ? `[ebb ${address}]` : marker,
    recall: callText(channel, address).trim(),
  }));
  return { anchorKey, text: noteOf(deletions), itemKeys: cleared.map(({ itemKey }) => itemKey) };
}
