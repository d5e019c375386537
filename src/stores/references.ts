import type { Address, Digest } from "../model/item.ts";
import type { ItemRecord, LedgerEntry } from "../model/ledger.ts";

/** What one ledger entry refers to: originals by digest, or an item by address. */
export interface References {
  readonly digests: readonly Digest[];
  readonly addresses: readonly Address[];
}

const NOTHING: References = { digests: [], addresses: [] };

/** Originals that an entry keeps alive. Items exempt from storage refer to nothing. */
export function referencesOf(entry: LedgerEntry): References {
  switch (entry.type) {
    case "item-acquired":
      return entry.item.isStored ? { digests: [entry.item.digest], addresses: [] } : NOTHING;
    case "change-seen": {
      const { text, base } = entry.change;
      return { digests: [text, base].filter((digest) => digest !== null), addresses: [] };
    }
    case "item-released":
      return { digests: [entry.decision.originalDigest], addresses: [] };
    case "lineage-opened":
      return { digests: entry.inherited.map((decision) => decision.originalDigest), addresses: [] };
    case "item-recalled":
      return { digests: [], addresses: [entry.address] };
    case "item-wished":
      return { digests: [], addresses: [entry.wish.address] };
    case "item-held":
    case "item-protected":
      return { digests: [], addresses: [entry.held.address] };
    case "item-restored":
      return { digests: [], addresses: [entry.restoration.address] };
    case "item-regretted":
      return { digests: [], addresses: [entry.regret.address] };
    case "marker-echoed":
      return { digests: [], addresses: [entry.address] };
    case "edit-queued":
      return { digests: entry.deletions.map(({ digest }) => digest), addresses: [] };
    case "server-clear-set":
      return { digests: entry.clearing?.leaving.map((decision) => decision.originalDigest) ?? [], addresses: [] };
    case "edit-pinned":
      return { digests: entry.block.deletions.map(({ digest }) => digest), addresses: [] };
    case "aside-pinned":
      return { digests: [entry.aside.digest], addresses: [] };
    case "tools-offered":
    case "aside-closed":
    case "path-held":
    case "path-protected":
    case "item-expired":
    case "scope-opened":
    case "scope-closed":
    case "thinking-stripped":
    case "thinking-restored":
    case "thinking-dropped":
    case "edit-sent":
    case "note-pinned":
    case "boundary-noted":
    case "boundary-reset":
    case "client-folded":
    case "request-sent":
    case "response-seen":
      return NOTHING;
  }
}

/** The place of a history whose asides an entry tells of; null for all others. */
export function anchorOf(entry: LedgerEntry): string | null {
  if (entry.type === "aside-pinned") return entry.aside.anchor;
  return entry.type === "aside-closed" ? entry.anchor : null;
}

/** What tells whether the user's words about an original leave with it. */
export type Forgettable = Pick<ItemRecord, "digest" | "isStored">;

/** The entry without the user's words (path and command) where `isForgotten` says so of an original of it; else the entry itself. */
export function entryWithoutText(entry: LedgerEntry, isForgotten: (original: Forgettable) => boolean): LedgerEntry {
  if (entry.type === "change-seen") {
    const originals = referencesOf(entry).digests.map((digest) => ({ digest, isStored: true }));
    const named = originals.length > 0 ? originals : [{ digest: "", isStored: false }];
    return named.some(isForgotten) ? { ...entry, change: { ...entry.change, path: null } } : entry;
  }
  if (entry.type === "item-regretted") {
    const original = { digest: entry.regret.originalDigest, isStored: true };
    return isForgotten(original) ? { ...entry, regret: { ...entry.regret, path: null } } : entry;
  }
  if (entry.type === "path-held" || entry.type === "path-protected") {
    return isForgotten({ digest: "", isStored: false }) ? { ...entry, held: { ...entry.held, path: "" } } : entry;
  }
  if (entry.type !== "item-acquired" || !isForgotten(entry.item)) return entry;
  const label = { ...entry.item.label, path: null, command: null };
  return { ...entry, item: { ...entry.item, label, absolutePath: null } };
}
