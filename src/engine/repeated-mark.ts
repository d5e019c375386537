import type { Moment } from "../model/decision.ts";
import type { Item } from "../model/item.ts";
import type { View } from "../model/view.ts";
import { type Mark, prefixKeeping } from "./kept-prefix.ts";

/** Moments at which a breakpoint is put in front of what leaves. */
const PRICED: ReadonlySet<Moment> = new Set(["pays", "pressure"]);

/**
 * The breakpoint in front of a change that no answered request carried: without it a request that is sent again has what stands there
 * written again. Null where none is needed or none can be put.
 */
export function repeatedMark(view: View, mayMark: boolean): Mark | null {
  const { cache, transcript } = view;
  const longest = cache.entries.at(-1);
  if (longest === undefined || !cache.isKnown) return null;
  const isChanged = (item: Item, index: number) => {
    const standing = index < longest.itemCount ? null : view.standingOf(item.key);
    return standing?.state === "released" && PRICED.has(standing.decision.moment) && view.exposureOf(item) === "sent";
  };
  const changed = transcript.items.findIndex(isChanged);
  return changed === -1 ? null : prefixKeeping(view, mayMark).before(changed).breakpoint;
}
