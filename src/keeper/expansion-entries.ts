import type { Aside } from "../model/aside.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { DraftInput } from "./draft.ts";
import type { Offer } from "./expansion.ts";

/**
 * What the ledger of a lineage must hold of the tools and asides in a request, as far as it does not: a fork takes over both, so that
 * they live as long as it goes on. Where others asked for the same message before, that it was asked for again.
 */
export function expansionEntries({ placement, expansion, requestId }: DraftInput): readonly LedgerEntry[] {
  const { offered, attempts } = placement.lineage.standing;
  const { offer, asides, anchor, hasRivals } = expansion;
  const isKnown = (aside: Aside) =>
    attempts.get(aside.anchor)?.some((attempt) => attempt.asides.some(({ digest }) => digest === aside.digest)) ===
    true;
  const again: readonly LedgerEntry[] =
    hasRivals && anchor !== null ? [{ type: "aside-closed", anchor, attempt: requestId, seen: [] }] : [];
  return [
    ...(offer !== null && offered?.json !== offer.json ? [offeredBy(offer)] : []),
    ...asides.filter((aside) => !isKnown(aside)).map((aside) => ({ type: "aside-pinned", aside }) as const),
    ...again,
  ];
}

function offeredBy({ json, names, moment, wire }: Offer): LedgerEntry {
  return { type: "tools-offered", json, names, moment, wire };
}
