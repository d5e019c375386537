import { assistantRunsBehind } from "../engine/exposure.ts";
import type { Item, ItemKey } from "../model/item.ts";
import type { DraftInput } from "./draft.ts";
import type { Lineage } from "./lineage.ts";
import type { Placement } from "./lineages.ts";

/**
 * True where requests that are not on record went before this one: it holds answers nobody here sent for. They may have kept
 * anything warm. An answer that the lineage knows was seen, also where the client wrote something before it anew, as some
 * do when they resume.
 */
export function hasUnseenAnswers({
  source,
  placement,
}: Pick<DraftInput, "source"> & { readonly placement: Pick<Placement, "known" | "sentCount"> }): boolean {
  const { known, sentCount } = placement;
  // The last request that was sent got one answer.
  const expected = sentCount === 0 ? 0 : 1;
  if (assistantRunsBehind(source.transcript, sentCount, () => false) <= expected) return false;
  return assistantRunsBehind(source.transcript, sentCount, knownTo(known)) > expected;
}

/** By what it said, where this process remembers that, and by its calls, whose results are on record. */
function knownTo({ chain, standing }: Lineage): (item: Item) => boolean {
  const keys = new Set(chain?.keys);
  const calls = new Set(Array.from(standing.acquired.keys(), callIdOf));
  return (item) => keys.has(item.key) || (item.kind === "call" && calls.has(item.callId));
}

/** A result's key names its call before its digest. */
function callIdOf(key: ItemKey): string {
  return key.slice(key.indexOf(":") + 1, key.lastIndexOf(":"));
}
