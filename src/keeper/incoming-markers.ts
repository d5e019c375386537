import { addressAtHead, addressesIn } from "../engine/marker-text.ts";
import { EMPTY_STANDING, foldLedger, type LineageStanding } from "../engine/standing.ts";
import type { Acquisition } from "../model/acquisition.ts";
import type { Address, ItemKey } from "../model/item.ts";
import type { WireSource } from "../model/ports.ts";
import type { Store } from "../model/store.ts";
import type { Placement } from "./lineages.ts";
import type { Understood } from "./understand.ts";

/** A request in its place, as far as markers that came in are looked for. */
export interface Incoming {
  readonly source: WireSource;
  readonly understood: Understood;
  readonly placement: Placement;
}

/** Markers asked after in one request; more stay plain text. */
const LOOKUPS_MAX = 16;

/**
 * New results that are, byte for byte, markers this store's ledgers hold: a client that kept what was sent instead of
 * what it had. Each stands for the item of its address. Whatever only looks like a marker is text.
 */
export async function findEchoes(
  { source, placement }: Incoming,
  store: Store,
): Promise<ReadonlyMap<ItemKey, Address>> {
  const echoes = new Map<ItemKey, Address>();
  const { tenant, standing } = placement.lineage;
  let lookups = 0;
  for (const item of source.transcript.items) {
    if (item.kind !== "result" || standing.acquired.has(item.key) || standing.echoes.has(item.key)) continue;
    const text = source.textOf(item);
    const address = addressAtHead(text);
    if (address === null || ++lookups > LOOKUPS_MAX) continue;
    if (await isOurs(text, address, standing, tenant, store)) echoes.set(item.key, address);
  }
  return echoes;
}

/** Calls new to the lineage whose input would write a marker of this store into a file. They are left as they are. */
export async function countMarkerWrites({ source, understood, placement }: Incoming, store: Store): Promise<number> {
  const { keys } = understood.chain;
  const fresh = new Set(keys.slice(placement.sentCount));
  const inputs = new Map(
    source.transcript.items.flatMap((item) =>
      item.kind === "call" && fresh.has(item.key) ? [[item.key, item.input] as const] : [],
    ),
  );
  let writes = 0;
  let lookups = 0;
  for (const { acquisition, callKey } of inputs.size === 0 ? [] : understood.observations.acquisitions) {
    const input = inputs.get(callKey);
    if (input === undefined || !mayWrite(acquisition)) continue;
    for (const address of addressesIn(input)) {
      if (++lookups > LOOKUPS_MAX) return writes;
      if ((await store.findItems(placement.lineage.tenant, address)).length === 0) continue;
      writes++;
      break;
    }
  }
  return writes;
}

async function isOurs(
  text: string,
  address: Address,
  standing: LineageStanding,
  tenant: string,
  store: Store,
): Promise<boolean> {
  if (holdsMarker(standing, text)) return true;
  for (const { lineage } of (await store.findItems(tenant, address)).slice(0, LOOKUPS_MAX)) {
    const other = foldLedger(EMPTY_STANDING, await store.loadLineage(tenant, lineage));
    if (holdsMarker(other, text)) return true;
  }
  return false;
}

function holdsMarker({ decisions }: LineageStanding, text: string): boolean {
  for (const { marker } of decisions.values()) if (marker === text) return true;
  return false;
}

/** A shell command writes where it redirects, feeds a here-document, or names a program that edits files. */
const SHELL_WRITE = /<<|>|\btee\b|\bsed\b[^|;&]*\s-[a-zA-Z]*i|\bpatch\b|\bdd\b/;

function mayWrite({ kind, command, changes }: Acquisition): boolean {
  if (kind === "edit" || kind === "write" || changes.length > 0) return true;
  return kind === "run" && command !== null && SHELL_WRITE.test(command);
}
