import type { Item } from "../model/item.ts";
import type { View } from "../model/view.ts";
import { type Mark, prefixKeeping } from "./kept-prefix.ts";

/**
 * The breakpoint in front of a change that no answered request carried: without it a request that is sent again has what stands there
 * written again. Null where none is needed or none can be put.
 */
export function repeatedMark(view: View, mayMark: boolean): Mark | null {
  const { cache, transcript } = view;
  const longest = cache.entries.at(-1);
  if (longest === undefined || !cache.isKnown) return null;
  const changed = transcript.items.findIndex((item, index) => {
    return index >= longest.itemCount && hasLeftForAPrice(item, view) && view.exposureOf(item) === "sent";
  });
  return changed === -1 ? null : prefixKeeping(view, mayMark).before(changed).breakpoint;
}

/** What left at any other moment left where nothing was kept. */
function hasLeftForAPrice({ key }: Item, view: View): boolean {
  const standing = view.standingOf(key);
  return standing.state === "released" && ["pays", "pressure"].includes(standing.decision.moment);
}
