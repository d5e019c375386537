import type { RequestPlan } from "../keeper/contract.ts";
import type { ToolKind } from "../model/acquisition.ts";
import type { Moment, ReleaseReason } from "../model/decision.ts";
import type { ItemKey } from "../model/item.ts";
import { releasesIn } from "./releases.ts";
import type { ReplayedRequest } from "./replay.ts";

/** What an item was, and how long it had been there. */
export interface AgedItem {
  /** What the call that acquired it did; null for what came by no call. */
  readonly kind: ToolKind | null;
  readonly is_media: boolean;
  readonly tokens: number;
  /** Turns and steps since it was acquired; null where that is not known. */
  readonly turns: number | null;
  readonly steps: number | null;
}

/** One release of a replay. */
export interface LeftRow extends AgedItem {
  readonly request: number;
  readonly policy: string;
  readonly reason: ReleaseReason;
  readonly moment: Moment;
}

/** One item whose lifetime was over, at the request that found it so. */
export interface ExpiredRow extends AgedItem {
  readonly request: number;
  /** The request that released it, for whatever reason; null where it stayed until the end. */
  readonly left: number | null;
}

/** Every release, in order. */
export function leftRows(requests: readonly ReplayedRequest[]): readonly LeftRow[] {
  return releasesIn(requests).flatMap(({ request: { plan, number }, decision }): readonly LeftRow[] => {
    if (plan === null) return [];
    const { itemKey, policy, reason, moment } = decision;
    return [{ request: number, policy, reason, moment, ...agedItem(plan, itemKey) }];
  });
}

const LIFETIMES = "lifetimes";

/** Items that a lifetime let go, or would have: each once in its lineage. */
export function expiredRows(requests: readonly ReplayedRequest[]): readonly ExpiredRow[] {
  const rows = new Map<string, ExpiredRow>();
  const left = new Map<string, number>();
  for (const { request, decision } of releasesIn(requests)) {
    left.set(`${request.plan?.lineage} ${decision.itemKey}`, request.number);
  }
  for (const { plan, number } of requests) {
    if (plan === null) continue;
    const nameOf = (key: ItemKey) => `${plan.lineage} ${key}`;
    for (const key of expiredIn(plan)) {
      if (!rows.has(nameOf(key))) rows.set(nameOf(key), { request: number, left: null, ...agedItem(plan, key) });
    }
  }
  return Array.from(rows, ([name, row]) => ({ ...row, left: left.get(name) ?? null }));
}

function expiredIn({ fresh, declines }: RequestPlan): readonly ItemKey[] {
  const waiting = declines.filter(({ policy, reason }) => policy === LIFETIMES && reason !== "already_marked");
  const gone = fresh.filter(({ policy }) => policy === LIFETIMES);
  return [...gone, ...waiting].flatMap(({ itemKey }) => (itemKey === null ? [] : [itemKey]));
}

function agedItem(plan: RequestPlan, key: ItemKey): AgedItem {
  const acquired = plan.acquiredOf(key);
  const item = plan.transcript.items.find((one) => one.key === key);
  return {
    kind: acquired?.kind ?? null,
    is_media: item?.kind === "media",
    tokens: item === undefined ? 0 : plan.tokensOf(item),
    turns: acquired === null ? null : plan.turn - acquired.turn,
    steps: acquired === null ? null : plan.step - acquired.step,
  };
}
