import type { ItemKey } from "../model/item.ts";
import type { LedgerEntry, Withdrawal } from "../model/ledger.ts";
import type { Clock } from "../model/transcript.ts";
import type { Declaration, PathDeclaration, RecordedWish, Scope, Until } from "../model/wish.ts";

/** What was decided and declared on purpose in a lineage, folded from its ledger. */
export interface Deliberate {
  readonly wishes: ReadonlyMap<ItemKey, RecordedWish>;
  /** The last declaration about each item; one that was taken back is remembered, so that no path binds the item again. */
  readonly spans: ReadonlyMap<ItemKey, Declaration | Withdrawal>;
  readonly protections: ReadonlyMap<ItemKey, Declaration | Withdrawal>;
  /** What binds items acquired later, by path. */
  readonly pathSpans: ReadonlyMap<string, PathDeclaration>;
  readonly pathProtections: ReadonlyMap<string, PathDeclaration>;
  /** Items whose lifetime was found to be over, with why. Never taken back. */
  readonly expired: ReadonlyMap<ItemKey, string>;
  readonly scopes: ReadonlyMap<string, Scope>;
}

/** Nothing decided. */
export const NOTHING_DELIBERATE: Deliberate = {
  wishes: new Map(),
  spans: new Map(),
  protections: new Map(),
  pathSpans: new Map(),
  pathProtections: new Map(),
  expired: new Map(),
  scopes: new Map(),
};

export type DeliberateEntry = Extract<
  LedgerEntry,
  {
    type:
      | "item-wished"
      | "item-held"
      | "item-protected"
      | "path-held"
      | "path-protected"
      | "item-expired"
      | "scope-opened"
      | "scope-closed";
  }
>;

/** The last word about each item and scope counts. */
export function foldDeliberate(before: Deliberate, entry: DeliberateEntry): Deliberate {
  switch (entry.type) {
    case "item-wished":
      return { ...before, wishes: withEntry(before.wishes, entry.wish.itemKey, entry.wish) };
    case "item-held":
      return {
        ...before,
        spans: withEntry(before.spans, entry.held.itemKey, entry.held),
        expired: without(before.expired, entry.held.itemKey),
      };
    case "item-protected":
      return { ...before, protections: withEntry(before.protections, entry.held.itemKey, entry.held) };
    case "path-held":
      return { ...before, pathSpans: withPath(before.pathSpans, entry.held) };
    case "path-protected":
      return { ...before, pathProtections: withPath(before.pathProtections, entry.held) };
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

function withPath(
  before: ReadonlyMap<string, PathDeclaration>,
  held: Extract<DeliberateEntry, { type: "path-held" | "path-protected" }>["held"],
): ReadonlyMap<string, PathDeclaration> {
  return held.until === null ? without(before, held.path) : withEntry(before, held.path, held);
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
