import { type Leaving, leavingOf } from "../engine/eject.ts";
import { labelText } from "../engine/marker.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { Decision, Moment } from "../model/decision.ts";
import type { Address } from "../model/item.ts";
import type { ItemRecord, LedgerRecord } from "../model/ledger.ts";
import type { Provider } from "../model/ports.ts";
import type { Store } from "../model/store.ts";
import { mainLineageOf } from "./order-lineage.ts";
import { providerNamed } from "./provider-names.ts";

/** Which conversation is left: a session by its id, a lineage, or the one used last. */
export interface EjectQuery {
  readonly tenant: string;
  /** Session id or lineage; null: the conversation used last. */
  readonly name: string | null;
  readonly atMs: number;
}

/** A result that comes back in full. */
export interface Returning {
  readonly address: Address;
  readonly label: string;
  /** Estimated tokens of the original, and of what stands in its place. */
  readonly tokens: number;
  readonly markerTokens: number;
  readonly moment: Moment;
  readonly turn: number;
}

export type EjectAnswer =
  | {
      readonly ok: true;
      readonly lineage: string;
      readonly session: string | null;
      /** The clock of the last request. */
      readonly turn: number;
      readonly step: number;
      readonly leaving: Leaving;
      /** In the order of their places. */
      readonly returning: readonly Returning[];
    }
  | { readonly ok: false; readonly failure: "unknown session" | "store unavailable"; readonly words: string };

const ANCESTORS_MAX = 64;
const LISTED_MAX = 1_000;

/** What leaving a conversation costs, from its ledger. Changes nothing; never throws for the store. */
export async function ejectOf(
  { tenant, name, atMs }: EjectQuery,
  { store, providers }: { readonly store: Store; readonly providers: readonly Provider[] },
): Promise<EjectAnswer> {
  try {
    const lineage = await lineageCalled(name, tenant, store);
    if (lineage === null) {
      const words = name === null ? "no conversation is on record" : "no session or lineage on record has this name";
      return { ok: false, failure: "unknown session", words };
    }
    const ledgers = await ledgersOf(lineage, tenant, store);
    const asideBytes = await asideBytesIn(ledgers, tenant, store);
    const leaving = leavingOf({
      ledgers,
      asideBytes,
      atMs,
      modelFacts: (provider, model) => providerNamed(provider, providers).modelFacts(model),
    });
    const opening = ledgers.at(-1)?.[0]?.entry;
    const last = ledgers.at(-1)?.findLast(({ entry }) => entry.type === "request-sent")?.entry;
    const clock = last?.type === "request-sent" ? last : { turn: 0, step: 0 };
    return {
      ok: true,
      lineage,
      session: opening?.type === "lineage-opened" ? opening.sessionId : null,
      turn: clock.turn,
      step: clock.step,
      leaving,
      returning: returningIn(leaving, ledgers),
    };
  } catch (error) {
    if (!(error instanceof EbbError)) throw error;
    return { ok: false, failure: "store unavailable", words: error.message };
  }
}

async function lineageCalled(name: string | null, tenant: string, store: Store): Promise<string | null> {
  const listed = await store.listLineages(tenant, LISTED_MAX);
  if (name !== null) {
    if (listed.some(({ lineage }) => lineage === name)) return name;
    const isKnown = listed.some(({ sessionId }) => sessionId === name);
    return isKnown ? mainLineageOf(name, listed, tenant, store) : null;
  }
  const last = listed.find(({ agentId }) => agentId === null);
  return last === undefined ? null : mainLineageOf(last.sessionId, listed, tenant, store);
}

/** Its own and those of the histories it continues, the oldest first. */
async function ledgersOf(lineage: string, tenant: string, store: Store): Promise<readonly (readonly LedgerRecord[])[]> {
  const ledgers: (readonly LedgerRecord[])[] = [];
  let at: string | null = lineage;
  while (at !== null && ledgers.length < ANCESTORS_MAX) {
    const records: readonly LedgerRecord[] = await store.loadLineage(tenant, at);
    ledgers.unshift(records);
    const opening = records[0]?.entry;
    const parent = opening?.type === "lineage-opened" ? opening.parent : null;
    at = parent === null || parent.itemCount === 0 ? null : parent.lineage;
  }
  return ledgers;
}

/** Bytes of what asides put in; one whose original left counts as nothing. */
async function asideBytesIn(
  ledgers: readonly (readonly LedgerRecord[])[],
  tenant: string,
  store: Store,
): Promise<number> {
  const last = new Map<string, string>();
  const asides = ledgers.flat().flatMap(({ entry }) => (entry.type === "aside-pinned" ? [entry.aside] : []));
  for (const { anchor, attempt } of asides) last.set(anchor, attempt);
  let bytes = 0;
  for (const { anchor, attempt, digest } of asides) {
    if (last.get(anchor) !== attempt) continue;
    const stored = await store.getOriginal(tenant, digest);
    if (stored.state === "present") bytes += stored.bytes.length;
  }
  return bytes;
}

function returningIn({ changes }: Leaving, ledgers: readonly (readonly LedgerRecord[])[]): readonly Returning[] {
  const items = new Map<string, ItemRecord>();
  for (const { entry } of ledgers.flat()) if (entry.type === "item-acquired") items.set(entry.item.key, entry.item);
  return changes.flatMap(({ decision }) =>
    decision === null ? [] : [returning(decision, items.get(decision.itemKey))],
  );
}

function returning(decision: Decision, item: ItemRecord | undefined): Returning {
  const { address, originalTokens, markerTokens, moment, turn } = decision;
  const label = item === undefined ? "an item" : labelText(item.label);
  return { address, label, tokens: originalTokens, markerTokens, moment, turn };
}
