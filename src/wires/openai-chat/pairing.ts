import type { CallItem } from "../../model/item.ts";
import { indexOfKey } from "../shared/key-index.ts";
import type { Placement } from "../shared/placement.ts";
import type { Seed } from "../shared/seed.ts";
import { isMadeId, MADE_PREFIX } from "./made-id.ts";
import type { ChatSeed } from "./seed.ts";

/** Calls without an id that wait for their results, in order. */
export interface Pairing {
  open: readonly OpenCall[];
}

type OpenCall = Pick<CallItem, "callId" | "name">;

/** Calls of one message that wait at most; results of others belong to none. */
const OPEN_MAX = 128;

/** What waits at the end of a placement: calls of the last message of the model that no result behind them answers. */
export function pairingAt({ messages, items }: Placement): Pairing {
  const last = messages.findLast(({ role }) => role === "assistant");
  if (last === undefined) return { open: [] };
  const made = items
    .slice(last.itemStart, last.itemEnd)
    .flatMap((item) => (item.kind === "call" && isMadeId(item.callId) ? [item] : []));
  if (made.length === 0) return { open: [] };
  const answered = new Set(items.slice(last.itemEnd).flatMap((item) => (item.kind === "result" ? [item.callId] : [])));
  return { open: made.filter(({ callId }) => !answered.has(callId)).slice(0, OPEN_MAX) };
}

/**
 * The seeds of a message that is placed next, with ids for calls and results that came without one: of a call by its name, its
 * arguments and its occurrence, of a result that of the first waiting call, by name where the result states one.
 */
export function namedSeeds(message: ChatSeed, placement: Placement, pairing: Pairing): readonly Seed[] {
  if (message.role === "assistant") pairing.open = [];
  if (!message.hasUnnamed) return message.seeds;
  if (message.role !== "assistant") {
    const callId = takeOpen(pairing, message.functionName) ?? `${MADE_PREFIX}${message.functionName ?? ""}`;
    return message.seeds.map((seed) => named(seed, callId));
  }
  const seeds = message.seeds.map((seed) => {
    const { item } = seed;
    if (item.kind !== "call" || !isMadeId(item.callId)) return seed;
    const callId = freeId(placement, item.callId, item.name);
    return { ...seed, item: { ...item, callId }, keyStem: `call:${callId}:${item.name}` };
  });
  const calls = seeds.flatMap(({ item }) => (item.kind === "call" && isMadeId(item.callId) ? [item] : []));
  pairing.open = calls.slice(0, OPEN_MAX);
  return seeds;
}

function takeOpen(pairing: Pairing, name: string | null): string | null {
  const at = name === null ? 0 : pairing.open.findIndex((call) => call.name === name);
  const call = pairing.open[at];
  if (call === undefined) return null;
  pairing.open = pairing.open.filter((other) => other !== call);
  return call.callId;
}

/** Numbered on where the same call came before. */
function freeId({ index, numbers }: Placement, stem: string, name: string): string {
  let count = numbers.get(stem) ?? 0;
  let callId: string;
  do {
    count += 1;
    callId = count === 1 ? stem : `${stem}:${count}`;
  } while (indexOfKey(index, `call:${callId}:${name}`) !== -1);
  numbers.set(stem, count);
  return callId;
}

/** A result or its media with the id of their call; key stems name it behind their first colon. */
function named(seed: Seed, callId: string): Seed {
  const { item } = seed;
  if (!("callId" in item) || item.callId !== "") return seed;
  const at = seed.keyStem.indexOf(":") + 1;
  const keyStem = `${seed.keyStem.slice(0, at)}${callId}${seed.keyStem.slice(at)}`;
  return { ...seed, item: { ...item, callId }, keyStem };
}
