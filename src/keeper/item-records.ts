import { addressOf } from "../lib/hash.ts";
import { cutAt } from "../lib/lines.ts";
import type { PlacedAcquisition } from "../model/acquisition.ts";
import type { ItemLabel } from "../model/decision.ts";
import type { Item, ItemKey, MediaItem, ResultItem } from "../model/item.ts";
import type { ItemRecord } from "../model/ledger.ts";
import type { Clock } from "../model/transcript.ts";
import type { View } from "../model/view.ts";
import { isExempt } from "./never-stored.ts";

/** Longest path and command the ledger keeps of an item, in UTF-16 units. */
const PATH_CHARS_MAX = 4_096;
const COMMAND_CHARS_MAX = 1_024;

/** When items were acquired: in this lineage, and in the one it may continue. */
export interface Acquired {
  readonly acquired: ReadonlyMap<ItemKey, Clock>;
  readonly known: ReadonlyMap<ItemKey, Clock>;
}

/**
 * Results and media of this request that its lineage did not have before, as the ledger will know them. What a history takes over
 * from another was acquired when that acquired it.
 */
export function newItemRecords(
  view: View,
  { acquired, known }: Acquired,
  isNeverStored: (path: string) => boolean,
): readonly ItemRecord[] {
  const items = view.transcript.items
    .filter(isReleasable)
    .filter((item) => !acquired.has(item.key) && view.echoOf(item.key) === null);
  const exempt = items.length === 0 ? new Set<string>() : exemptCalls(view.acquisitions.values(), isNeverStored);
  return items.map((item) => ({
    ...recordOf(item, view, item.callId === null || !exempt.has(item.callId)),
    ...known.get(item.key),
  }));
}

function isReleasable(item: Item): item is ResultItem | MediaItem {
  return item.kind === "result" || item.kind === "media";
}

/** By call: the media of a result came from the same file as its text. */
function exemptCalls(
  acquisitions: Iterable<PlacedAcquisition>,
  isNeverStored: (path: string) => boolean,
): ReadonlySet<string> {
  const calls = new Set<string>();
  for (const placed of acquisitions) if (isExempt(placed, isNeverStored)) calls.add(placed.acquisition.callId);
  return calls;
}

function recordOf(item: ResultItem | MediaItem, view: View, isStored: boolean): ItemRecord {
  return {
    key: item.key,
    address: addressOf(item.key),
    kind: item.kind,
    callId: item.callId,
    digest: item.digest,
    bytes: item.bytes,
    lines: item.lines,
    mediaType: item.kind === "media" ? item.mediaType : null,
    label: keptLabel(view.labelOf(item)),
    isError: item.kind === "result" && (item.isError || isFailed(item, view)),
    absolutePath: absolutePathOf(item, view),
    isStored,
    ...(item.kind === "media" && !item.isReplaceable ? { isReferred: true as const } : {}),
    step: view.clock.step,
    turn: view.clock.turn,
  };
}

/** As its words say, where its format has no flag. */
function isFailed({ key }: ResultItem, view: View): boolean {
  return view.acquisitions.get(key)?.acquisition.outcome === "failed";
}

/** The media of a result came from the same file as its text. */
function absolutePathOf(item: ResultItem | MediaItem, view: View): string | null {
  const path = view.absolutePathOf(item);
  return path === null ? null : cutAt(path, PATH_CHARS_MAX);
}

/** The ledger keeps what tells an item apart for a reader, not every character of a script that was run. */
function keptLabel(label: ItemLabel): ItemLabel {
  return {
    ...label,
    path: label.path === null ? null : cutAt(label.path, PATH_CHARS_MAX),
    command: label.command === null ? null : cutAt(label.command, COMMAND_CHARS_MAX),
  };
}
