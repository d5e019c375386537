import { addressOf } from "../lib/hash.ts";
import type { Item, ItemKey, MediaItem, ResultItem } from "../model/item.ts";
import type { ItemRecord } from "../model/ledger.ts";
import type { View } from "../model/view.ts";

/** Results and media of this request that its lineage did not have before, as the ledger will know them. */
export function newItemRecords(
  view: View,
  acquired: ReadonlySet<ItemKey>,
  isNeverStored: (path: string) => boolean,
): readonly ItemRecord[] {
  const records: ItemRecord[] = [];
  for (const item of view.transcript.items) {
    if (!isReleasable(item) || acquired.has(item.key)) continue;
    records.push(recordOf(item, view, isNeverStored));
  }
  return records;
}

function isReleasable(item: Item): item is ResultItem | MediaItem {
  return item.kind === "result" || item.kind === "media";
}

function recordOf(item: ResultItem | MediaItem, view: View, isNeverStored: (path: string) => boolean): ItemRecord {
  const label = view.labelOf(item);
  const path = view.acquisitions.get(item.key)?.path ?? label.path;
  return {
    key: item.key,
    address: addressOf(item.key),
    kind: item.kind,
    callId: item.callId,
    digest: item.digest,
    bytes: item.bytes,
    lines: item.lines,
    mediaType: item.kind === "media" ? item.mediaType : null,
    label,
    isStored: path === null || !isNeverStored(path),
    step: view.clock.step,
    turn: view.clock.turn,
  };
}
