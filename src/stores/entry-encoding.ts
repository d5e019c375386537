import { EbbError } from "../lib/ebb-error.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { LedgerEntry } from "../model/ledger.ts";

const SUM_CHARS = 16;

/** An entry as one text: JSON, a line break, and the first characters of the JSON's SHA-256. */
export function encodeEntry(entry: LedgerEntry): string {
  const json = JSON.stringify(entry);
  return `${json}\n${sumOf(json)}`;
}

/**
 * The entry in a text that `encodeEntry` made; throws `store_corrupt` for any other. A database file has no sums of its
 * own, and a marker with one wrong byte would be sent as if it had been sent before.
 */
export function decodeEntry(body: string): LedgerEntry {
  const json = body.slice(0, -SUM_CHARS - 1);
  if (body !== `${json}\n${sumOf(json)}`) throw new EbbError("store_corrupt", "the store's ledger is damaged");
  return JSON.parse(json);
}

function sumOf(json: string): string {
  return sha256Hex(Buffer.from(json)).slice(0, SUM_CHARS);
}
