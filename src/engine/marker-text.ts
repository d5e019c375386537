import type { Address } from "../model/item.ts";
import type { JsonValue } from "../model/json.ts";

const AT_HEAD = /^\[ebb ([0-9a-hjkmnp-tv-z]{12})[\] ]/;
const ANYWHERE = /\[ebb ([0-9a-hjkmnp-tv-z]{12})[\] ]/g;
const ADDRESSES_MAX = 16;

/** The address a text begins with as a marker would; null for every other text. Whether the marker is Ebb's, only the store knows. */
export function addressAtHead(text: string): Address | null {
  return AT_HEAD.exec(text)?.[1] ?? null;
}

/** Addresses that look like those of markers, anywhere in the strings of a value, each once. */
export function addressesIn(value: JsonValue): readonly Address[] {
  const found = new Set<Address>();
  const waiting: JsonValue[] = [value];
  while (waiting.length > 0 && found.size < ADDRESSES_MAX) {
    const one = waiting.pop();
    if (typeof one === "string") for (const match of one.matchAll(ANYWHERE)) found.add(match[1] ?? "");
    else if (typeof one === "object" && one !== null) waiting.push(...Object.values(one));
  }
  return Array.from(found);
}
