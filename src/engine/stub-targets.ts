import type { ItemKey } from "../model/item.ts";
import type { PathHistory } from "./path-events.ts";

/** What the "unchanged" answers of one path stand on. */
export interface StubTargets {
  /** By the key of the answer: the read it points to; null when this transcript has none. */
  readonly byStub: ReadonlyMap<ItemKey, ItemKey | null>;
  /** Reads that an answer still in force points to. */
  readonly loadBearing: ReadonlySet<ItemKey>;
}

/**
 * An "unchanged" answer points to the latest real read of the same window, with no change of the path between. A change
 * behind it ends what the answer claims.
 */
export function stubTargetsOf({ events }: PathHistory): StubTargets {
  const byStub = new Map<ItemKey, ItemKey | null>();
  const loadBearing = new Set<ItemKey>();
  const latest = new Map<string, ItemKey>();
  for (const event of events) {
    if (event.kind === "change") {
      latest.clear();
      loadBearing.clear();
      continue;
    }
    if (!event.placed.acquisition.isUnchangedStub) {
      latest.set(event.windowKey, event.resultKey);
      continue;
    }
    const target = latest.get(event.windowKey) ?? null;
    byStub.set(event.resultKey, target);
    if (target !== null) loadBearing.add(target);
  }
  return { byStub, loadBearing };
}
