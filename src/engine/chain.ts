import { sha256Hex } from "../lib/hash.ts";
import type { Item, ItemKey } from "../model/item.ts";
import type { Message, Transcript } from "../model/transcript.ts";

/** A history as a chain of item keys: `hashes[i]` stands for the first i + 1 keys. */
export interface Chain {
  readonly keys: readonly ItemKey[];
  readonly hashes: readonly string[];
}

const HASH_CHARS = 32;

/** The chain of a transcript. Hashes shared with `previous` are taken over instead of computed again. */
export function chainOf(transcript: Transcript, previous: Chain | null): Chain {
  const keys = canonicalKeys(transcript);
  const hashes = previous === null ? [] : previous.hashes.slice(0, sharedLength(keys, previous.keys));
  for (let index = hashes.length; index < keys.length; index++) {
    hashes.push(sha256Hex(`${hashes[index - 1] ?? ""}\n${keys[index]}`).slice(0, HASH_CHARS));
  }
  return { keys, hashes };
}

/**
 * Keys in the order history is compared in: parallel results by call id, since clients re-order them, whether they stand in one
 * message or in one message each.
 */
export function canonicalKeys({ messages, items }: Transcript): readonly ItemKey[] {
  const keys: ItemKey[] = [];
  for (let index = 0; index < messages.length; index++) {
    const first = messages[index];
    if (first === undefined) break;
    while (isLoneResult(messages[index], items) && isLoneResult(messages[index + 1], items)) index++;
    const own = items.slice(first.itemStart, messages[index]?.itemEnd);
    if (first.role === "user" && resultCount(own) > 1) own.sort(byCall);
    for (const item of own) keys.push(item.key);
  }
  return keys;
}

/** A message that is one result with what media it holds, and nothing else. */
function isLoneResult(message: Message | undefined, items: readonly Item[]): boolean {
  if (message === undefined || message.role !== "user" || items[message.itemStart]?.kind !== "result") return false;
  for (let index = message.itemStart + 1; index < message.itemEnd; index++) {
    const item = items[index];
    if (item?.kind !== "media" || item.callId === null) return false;
  }
  return true;
}

/** How many items two chains share from the start. */
export function sharedCount(left: Chain, right: Chain): number {
  let low = 0;
  let high = Math.min(left.hashes.length, right.hashes.length);
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (left.hashes[middle - 1] === right.hashes[middle - 1]) low = middle;
    else high = middle - 1;
  }
  return low;
}

function sharedLength(left: readonly ItemKey[], right: readonly ItemKey[]): number {
  const limit = Math.min(left.length, right.length);
  let length = 0;
  while (length < limit && left[length] === right[length]) length++;
  return length;
}

function resultCount(items: readonly Item[]): number {
  let count = 0;
  for (const item of items) if (item.kind === "result") count++;
  return count;
}

function byCall(left: Item, right: Item): number {
  const leftCall = callOf(left);
  const rightCall = callOf(right);
  if (leftCall === rightCall) return 0;
  if (leftCall === null) return 1;
  if (rightCall === null) return -1;
  return leftCall < rightCall ? -1 : 1;
}

function callOf(item: Item): string | null {
  return item.kind === "result" || item.kind === "media" ? item.callId : null;
}
