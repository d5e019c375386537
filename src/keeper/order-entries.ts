import type { LineageStanding } from "../engine/standing.ts";
import type { ItemRecord, LedgerEntry, LedgerRecord } from "../model/ledger.ts";
import type { Actor, Until, Wish } from "../model/wish.ts";
import type { Lifetime } from "./order.ts";
import { type Refusal, refused } from "./order-refusal.ts";
import type { Aim } from "./order-targets.ts";

/** Why and by whom something is recorded. */
export interface Motive {
  readonly reason: string;
  readonly by: Actor;
}

const SCOPE_PREFIX = "tmp_";

/** One wish about each of the items. */
export function wishEntries(items: readonly ItemRecord[], wish: Wish, { reason, by }: Motive): readonly LedgerEntry[] {
  return items.map(({ key, address }) => ({ type: "item-wished", wish: { itemKey: key, address, wish, reason, by } }));
}

/** A declaration about what an order names, items and paths, or with `until` null its withdrawal; scopes are opened first. */
export function declarationEntries(
  kind: "held" | "protected",
  { items, paths, standing }: Aim,
  until: Until | null,
  { reason, by }: Motive,
): readonly LedgerEntry[] {
  return [
    ...openingOf(until, reason, standing),
    ...items.map(({ key, address }): LedgerEntry => {
      const named = { itemKey: key, address, reason, by };
      return { type: `item-${kind}`, held: until === null ? { ...named, until } : { ...named, until } };
    }),
    ...paths.map((path): LedgerEntry => {
      const named = { path, reason, by };
      return { type: `path-${kind}`, held: until === null ? { ...named, until } : { ...named, until } };
    }),
  ];
}

/** Resolved once: turns and steps count from the lineage's clock as its last request left it. */
export function untilOf(lifetime: Lifetime, { standing, records }: Pick<Aim, "standing" | "records">): Until | Refusal {
  switch (lifetime.kind) {
    case "forever":
      return { kind: "forever" };
    case "turns":
      return (
        countedFrom("turns", lifetime.turns, records) ?? { kind: "turn", turn: standing.clock.turn + lifetime.turns }
      );
    case "steps":
      return (
        countedFrom("steps", lifetime.steps, records) ?? { kind: "step", step: standing.clock.step + lifetime.steps }
      );
    case "scope":
      if (lifetime.scope.startsWith(SCOPE_PREFIX) && lifetime.scope.length > SCOPE_PREFIX.length) return lifetime;
      return refused(
        "bad order",
        `a scope's name begins with "${SCOPE_PREFIX}", got ${JSON.stringify(lifetime.scope.slice(0, 80))}`,
      );
  }
}

function countedFrom(name: string, count: number, records: readonly LedgerRecord[]): Refusal | null {
  if (!Number.isSafeInteger(count) || count < 0)
    return refused("bad order", `${name}: expected a whole number from 0, got ${count}`);
  if (records.some(({ entry }) => entry.type === "request-sent")) return null;
  return refused("bad order", `no request of this conversation is on record, so ${name} cannot be counted from now`);
}

function openingOf(
  until: Until | null,
  reason: string,
  { deliberate, clock }: LineageStanding,
): readonly LedgerEntry[] {
  if (until?.kind !== "scope") return [];
  const known = deliberate.scopes.get(until.scope);
  if (known !== undefined && !known.isClosed) return [];
  const { turn, step } = clock;
  return [
    { type: "scope-opened", scope: { name: until.scope, reason, openedTurn: turn, openedStep: step, isClosed: false } },
  ];
}
