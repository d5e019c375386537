import type { PlacedAcquisition } from "../model/acquisition.ts";
import type { Item, ItemKey } from "../model/item.ts";
import type { Clock } from "../model/transcript.ts";
import type { View } from "../model/view.ts";
import { type Declarable, type Declared, protectionOf, spanOf } from "./declared.ts";
import { judgeUntil } from "./deliberate.ts";
import type { LineageStanding } from "./standing.ts";

export interface DeclaredInput {
  readonly standing: LineageStanding;
  readonly clock: Clock;
  itemOf(key: ItemKey): Item | null;
  acquisitionOf(item: Item): PlacedAcquisition | null;
}

/** What is declared of items and still lasts. What is declared of a result counts for the media in it. */
export function declaredView(input: DeclaredInput): Pick<View, "isProtected" | "isHeldBySpan"> {
  const { standing, clock } = input;
  const { deliberate } = standing;
  const isRunning = (declared: Declared | null) =>
    declared !== null && judgeUntil(declared.declaration.until, clock, deliberate.scopes) !== "over";
  return {
    isProtected: (key) => declarables(key, input).some((one) => isRunning(protectionOf(one, deliberate, clock))),
    isHeldBySpan: (key) => declarables(key, input).some((one) => isRunning(spanOf(one, deliberate, clock))),
  };
}

/** An item as declarations see it, from what is known of how it was acquired, and the result that carries it. */
function declarables(key: ItemKey, { standing, itemOf, acquisitionOf }: DeclaredInput): readonly Declarable[] {
  const item = itemOf(key);
  const placed = item === null ? null : acquisitionOf(item);
  const carrier = item?.kind === "media" ? (placed?.resultKey ?? null) : null;
  return [key, carrier].flatMap((one) => {
    if (one === null) return [];
    const isAcquired = standing.acquired.has(one);
    return [{ key: one, isAcquired, path: placed?.acquisition.path ?? null, absolutePath: placed?.path ?? null }];
  });
}
