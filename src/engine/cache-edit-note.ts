import type { CacheDeletion } from "../model/cache-edit.ts";
import type { ItemLabel, MarkerMode, RecallChannel, ReleaseReason } from "../model/decision.ts";
import type { Address, Item } from "../model/item.ts";
import { callText, labelText } from "./marker.ts";
import { reasonWords } from "./release-words.ts";

/** A result that is to leave through the provider's deletion, and why. */
export interface Leaving {
  readonly item: Pick<Item, "key" | "digest" | "bytes" | "lines">;
  readonly address: Address;
  /** Where the result is itself the answer of a recall: the original it came from, which is the way back. */
  readonly recalledFrom: Address | null;
  readonly label: ItemLabel;
  readonly reason: ReleaseReason;
  readonly mode: MarkerMode;
  readonly channel: RecallChannel;
  readonly tokens: number;
}

const HEAD = "Only this view was shortened, not the files. These tool results left it:";

/** The deletion of a result, with what the note will say of it. */
export function deletionOf({ item, address, tokens, ...leaving }: Leaving): CacheDeletion {
  const { mode, channel, recalledFrom } = leaving;
  const call = mode === "full" ? callText(channel, recalledFrom ?? address).trim() : "";
  return {
    itemKey: item.key,
    address,
    digest: item.digest,
    tokens,
    line: mode === "off" ? tagOf(address) : `${tagOf(address)} ${wordsOf(item, leaving)}`,
    recall: call === "" ? null : call,
  };
}

/** The text in the user message that says what left and how it comes back: a deletion leaves no marker in its place. */
export function noteOf(deletions: readonly CacheDeletion[]): string {
  const lines = deletions.map(({ line }) => line);
  if (deletions.every(({ address, line }) => line === tagOf(address))) return lines.join(" ");
  const call = deletions.find(({ recall }) => recall !== null)?.recall ?? null;
  const isShared = deletions.length > 1;
  const back = call === null ? [] : [isShared ? `${call} (the others alike, by their addresses)` : call];
  return [HEAD, ...lines, ...back].join("\n");
}

function tagOf(address: Address): string {
  return `[ebb ${address}]`;
}

function wordsOf({ lines, bytes }: Leaving["item"], { label, reason }: Pick<Leaving, "label" | "reason">): string {
  return `${labelText(label)}, ${lines} ${lines === 1 ? "line" : "lines"}, ${bytes} bytes: ${reasonWords(reason)}`;
}
