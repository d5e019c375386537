import type { ItemKey } from "../model/item.ts";
import type { LedgerEntry, Withdrawal } from "../model/ledger.ts";
import type { NotedBoundary } from "../model/noted-boundary.ts";
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

/** Why a lifetime is over that a client's own compaction ended. */
export const COMPACTED_WORDS = "the client compacted the conversation";

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
      | "scope-closed"
      | "boundary-noted";
  }
>;

/** The last word about each item and scope counts. Copies what it adds to once, however many entries there are. */
export function foldDeliberate(before: Deliberate, entries: readonly DeliberateEntry[]): Deliberate {
  if (entries.length === 0) return before;
  const growing: Growing = {
    wishes: new Map(before.wishes),
    spans: new Map(before.spans),
    protections: new Map(before.protections),
    pathSpans: new Map(before.pathSpans),
    pathProtections: new Map(before.pathProtections),
    expired: new Map(before.expired),
    scopes: new Map(before.scopes),
  };
  for (const entry of entries) addTo(growing, entry);
  return growing;
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

type Growing = {
  readonly [Name in keyof Deliberate]: Deliberate[Name] extends ReadonlyMap<infer Key, infer Value>
    ? Map<Key, Value>
    : never;
};

function addTo(growing: Growing, entry: DeliberateEntry): void {
  switch (entry.type) {
    case "item-wished":
      put(growing.wishes, entry.wish.itemKey, entry.wish);
      break;
    case "item-held":
      growing.expired.delete(entry.held.itemKey);
      put(growing.spans, entry.held.itemKey, entry.held);
      break;
    case "item-protected":
      put(growing.protections, entry.held.itemKey, entry.held);
      break;
    case "path-held":
      putPath(growing.pathSpans, entry.held);
      break;
    case "path-protected":
      putPath(growing.pathProtections, entry.held);
      break;
    case "item-expired":
      put(growing.expired, entry.itemKey, entry.words);
      break;
    case "scope-opened":
      put(growing.scopes, entry.scope.name, entry.scope);
      break;
    case "scope-closed": {
      const scope = growing.scopes.get(entry.name);
      if (scope !== undefined) put(growing.scopes, entry.name, { ...scope, isClosed: true });
      break;
    }
    case "boundary-noted":
      endAt(growing, entry.what);
  }
}

/** What was open ends with the conversation it was opened in; a compaction ends the spans that were running as well. */
function endAt({ scopes, spans, expired, pathSpans }: Growing, what: NotedBoundary): void {
  if (what === "resumed" || what === "compacting") return;
  for (const [name, scope] of scopes) scopes.set(name, { ...scope, isClosed: true });
  if (what !== "compacted") return;
  for (const { itemKey, until } of [...spans.values()]) {
    if (until === null || until.kind === "forever") continue;
    spans.delete(itemKey);
    put(expired, itemKey, COMPACTED_WORDS);
  }
  for (const { path, until } of [...pathSpans.values()]) {
    if (until.kind !== "forever") pathSpans.delete(path);
  }
}

function putPath(
  paths: Map<string, PathDeclaration>,
  held: Extract<DeliberateEntry, { type: "path-held" | "path-protected" }>["held"],
): void {
  if (held.until === null) paths.delete(held.path);
  else put(paths, held.path, held);
}

/** The last word stands last. */
function put<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
}
