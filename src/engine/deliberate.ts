import type { ItemKey } from "../model/item.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { Clock } from "../model/transcript.ts";
import type { Declaration, RecordedWish, Scope, Until } from "../model/wish.ts";

/** What was decided and declared on purpose in a lineage, folded from its ledger. */
export interface Deliberate {
  readonly wishes: ReadonlyMap<ItemKey, RecordedWish>;
  readonly spans: ReadonlyMap<ItemKey, Declaration>;
  readonly protections: ReadonlyMap<ItemKey, Declaration>;
  /** Items whose lifetime was found to be over, with why. Never taken back. */
  readonly expired: ReadonlyMap<ItemKey, string>;
  readonly scopes: ReadonlyMap<string, Scope>;
}

/** Nothing decided. */
export const NOTHING_DELIBERATE: Deliberate = {
  wishes: new Map(),
  spans: new Map(),
  protections: new Map(),
  expired: new Map(),
  scopes: new Map(),
};

export type DeliberateEntry = Extract<
  LedgerEntry,
  { type: "item-wished" | "item-held" | "item-protected" | "item-expired" | "scope-opened" | "scope-closed" }
>;

/** The last word about each item and scope counts. */
export function foldDeliberate(before: Deliberate, entry: DeliberateEntry): Deliberate {
  switch (entry.type) {
    case "item-wished":
      return { ...before, wishes: withEntry(before.wishes, entry.wish.itemKey, entry.wish) };
    case "item-held": {
      const { held } = entry;
      const spans =
        held.until === null ? without(before.spans, held.itemKey) : withEntry(before.spans, held.itemKey, held);
      return { ...before, spans, expired: without(before.expired, held.itemKey) };
    }
    case "item-protected": {
      const { held } = entry;
      const { protections } = before;
      return {
        ...before,
        protections:
          held.until === null ? without(protections, held.itemKey) : withEntry(protections, held.itemKey, held),
      };
    }
    case "item-expired":
      return { ...before, expired: withEntry(before.expired, entry.itemKey, entry.words) };
    case "scope-opened":
      return { ...before, scopes: withEntry(before.scopes, entry.scope.name, entry.scope) };
    case "scope-closed": {
      const scope = before.scopes.get(entry.name);
      if (scope === undefined) return before;
      return { ...before, scopes: withEntry(before.scopes, entry.name, { ...scope, isClosed: true }) };
    }
  }
}

/** `running`, `over`, or `unknown` where the clock or the scope it needs is not known: then nothing is judged. */
export function judgeUntil(
  until: Until,
  clock: Clock | null,
  scopes: ReadonlyMap<string, Scope>,
): "running" | "over" | "unknown" {
  switch (until.kind) {
    case "forever":
      return "running";
    case "turn":
      if (clock === null) return "unknown";
      return until.turn >= clock.turn ? "running" : "over";
    case "step":
      if (clock === null) return "unknown";
      return until.step >= clock.step ? "running" : "over";
    case "scope": {
      const scope = scopes.get(until.scope);
      if (scope === undefined) return "unknown";
      return scope.isClosed ? "over" : "running";
    }
  }
}

/** A declaration's end in words. */
export function untilText(until: Until): string {
  switch (until.kind) {
    case "forever":
      return "for good";
    case "turn":
      return `until turn ${until.turn}`;
    case "step":
      return `until step ${until.step}`;
    case "scope":
      return `until ${until.scope} is closed`;
  }
}

function withEntry<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key, value: Value): ReadonlyMap<Key, Value> {
  const copy = new Map(map);
  copy.delete(key);
  return copy.set(key, value);
}

function without<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): ReadonlyMap<Key, Value> {
  if (!map.has(key)) return map;
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}
