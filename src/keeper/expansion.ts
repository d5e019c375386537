import type { Aside } from "../model/aside.ts";
import type { LedgerEntry } from "../model/ledger.ts";

/** What was put into a request before anything else looked at it. */
export interface Expansion {
  /** The body as the client sent it; null for a later round of a message, which no client sent. */
  readonly received: Uint8Array | null;
  /** Asides that stand in it, in their order. */
  readonly asides: readonly Aside[];
  readonly offer: Offer | null;
  /** Hash of the chain of what the client sent: where the message that is asked for will stand. Null where it was not looked at. */
  readonly anchor: string | null;
  /** The request that asked for the message first; null where this one does. */
  readonly attempt: string | null;
  /** Other requests for the message pinned asides. */
  readonly hasRivals: boolean;
}

/** Tools of Ebb's own that a request offers. */
export interface Offer {
  readonly json: string;
  readonly names: readonly string[];
  readonly moment: Extract<LedgerEntry, { type: "tools-offered" }>["moment"];
  /** Name of the wire in whose format. */
  readonly wire: string;
  /** No request of the conversation offered them before. */
  readonly isNew: boolean;
}

/** A request into which nothing was put. */
export function unexpanded({ body }: { readonly body: Uint8Array }, anchor: string | null = null): Expansion {
  return { received: body, asides: [], offer: null, anchor, attempt: null, hasRivals: false };
}

/** Calls whose rounds the client never saw. */
export function roundCallsOf({ asides }: Pick<Expansion, "asides">): ReadonlySet<string> {
  const rounds = asides.filter(({ place }) => place === "round");
  return new Set(rounds.flatMap(({ calls }) => calls.map(({ id }) => id)));
}

/** All calls of its asides. */
export function asideCallsOf({ asides }: Pick<Expansion, "asides">): ReadonlySet<string> {
  return new Set(asides.flatMap(({ calls }) => calls.map(({ id }) => id)));
}
