import { COMPACTED_WORDS, type Deliberate } from "../engine/deliberate.ts";
import type { LineageStanding } from "../engine/standing.ts";
import { addressOf } from "../lib/hash.ts";
import type { ItemKey } from "../model/item.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { Until } from "../model/wish.ts";

/**
 * What was decided on purpose and what was regretted, as far as a new history takes it over: about the items it holds, and about paths. A
 * client's compaction ends the spans that were running and closes the scopes; a protection that no scope ends stays.
 */
export function carried(
  { deliberate, echoes, regrets }: LineageStanding,
  present: ReadonlySet<ItemKey>,
  isFolded: boolean,
): readonly LedgerEntry[] {
  const { wishes, protections, spans, expired: ended } = deliberate;
  return [
    ...carriedByName(deliberate, isFolded),
    ...of(wishes).map((wish): LedgerEntry => ({ type: "item-wished", wish })),
    ...of(protections)
      .filter(({ until }) => !(isFolded && isOfScope(until)))
      .map((held): LedgerEntry => ({ type: "item-protected", held })),
    ...of(spans).map((held): LedgerEntry => {
      if (!isFolded || held.until === null || held.until.kind === "forever") return { type: "item-held", held };
      return expired(held.itemKey, COMPACTED_WORDS);
    }),
    ...Array.from(ended, ([itemKey, words]) => expired(itemKey, words)).filter(isPresent),
    ...Array.from(echoes, ([itemKey, address]) => ({ type: "marker-echoed", itemKey, address }) as const).filter(
      isPresent,
    ),
    // About paths: the agent came back to them, whatever of them this history holds.
    ...regrets.map((regret) => ({ type: "item-regretted", regret }) as const),
  ];

  function of<Value extends { readonly itemKey: ItemKey }>(said: ReadonlyMap<ItemKey, Value>): readonly Value[] {
    return Array.from(said.values()).filter(isPresent);
  }

  function isPresent({ itemKey }: { readonly itemKey: ItemKey }): boolean {
    return present.has(itemKey);
  }
}

/** Scopes, and what was said of paths. */
function carriedByName({ scopes, pathSpans, pathProtections }: Deliberate, isFolded: boolean): readonly LedgerEntry[] {
  return [
    ...Array.from(scopes.values(), (scope): LedgerEntry => {
      return { type: "scope-opened", scope: isFolded ? { ...scope, isClosed: true } : scope };
    }),
    ...Array.from(pathSpans.values())
      .filter(({ until }) => !isFolded || until.kind === "forever")
      .map((held): LedgerEntry => ({ type: "path-held", held })),
    ...Array.from(pathProtections.values())
      .filter(({ until }) => !(isFolded && isOfScope(until)))
      .map((held): LedgerEntry => ({ type: "path-protected", held })),
  ];
}

function isOfScope(until: Until | null): boolean {
  return until?.kind === "scope";
}

function expired(itemKey: ItemKey, words: string) {
  return { type: "item-expired", itemKey, address: addressOf(itemKey), words } as const;
}
