import type { Item } from "../../model/item.ts";
import { indexOfKey } from "../shared/key-index.ts";
import type { Original } from "../shared/origin.ts";
import type { Placement } from "../shared/placement.ts";
import { type Seed, sealSeed } from "../shared/seed.ts";
import type { ContentSeed } from "./seed.ts";

/**
 * The seeds of a content that is placed next, with call ids where the body states none: a call gets one by its function, arguments
 * and occurrence, and a response that of the first unanswered call of its function in the model's message in front of it. One that
 * answers none gets an id of its own and is not replaced. `originals` are kept for the seeds that take the place of others.
 */
export function bindCalls(
  placement: Placement,
  { role, seeds, unbound }: ContentSeed,
  originals: Map<Seed, Original>,
): readonly Seed[] {
  if (unbound.every((name) => name === null)) return seeds;
  const open = role === "assistant" ? [] : openCalls(placement, seeds);
  const taken = new Set<string>();
  let last = "";
  return seeds.map((seed, at) => {
    const name = unbound[at] ?? null;
    if (name === null) return seed;
    const { item } = seed;
    // Media follow the response that holds them.
    if (item.kind !== "media") last = idOf(placement, seed, name, open, taken);
    const named = withCallId(seed, last);
    // Its id is told by its words, and would not outlive them.
    const bound = isUnasked(last) ? sealSeed(named) : named;
    const original = originals.get(seed);
    if (original !== undefined) originals.set(bound, original);
    return bound;
  });
}

const DIGEST_CHARS = 16;
const UNASKED = ":unasked:";

interface OpenCall {
  readonly callId: string;
  readonly name: string;
}

/** Calls of the model's last message that nothing answers yet, in order; those that the content answers by their ids are not. */
function openCalls({ messages, items }: Placement, seeds: readonly Seed[]): OpenCall[] {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  const message = messages[at];
  if (message === undefined) return [];
  const behind = items.slice(message.itemEnd);
  const answered = new Set([...behind, ...seeds.map(({ item }) => item)].flatMap(callIdOf));
  return items
    .slice(message.itemStart, message.itemEnd)
    .flatMap((item) => (item.kind === "call" && !answered.has(item.callId) ? [item] : []));
}

function callIdOf(item: Item | Seed["item"]): readonly string[] {
  return item.kind === "result" ? [item.callId] : [];
}

function idOf(placement: Placement, seed: Seed, name: string, open: OpenCall[], taken: Set<string>): string {
  const { item } = seed;
  if (item.kind !== "result") return numbered(placement, seed, item.kind === "call" ? item.callId : name, taken);
  const at = open.findIndex((call) => call.name === name);
  const [call] = at === -1 ? [] : open.splice(at, 1);
  return (
    call?.callId ??
    numbered(placement, seed, `${name}${UNASKED}${lastPart(seed.keyStem).slice(0, DIGEST_CHARS)}`, taken)
  );
}

/** The stem with the first number of which the transcript holds no such item. */
function numbered({ index, numbers }: Placement, seed: Seed, stem: string, taken: Set<string>): string {
  const counter = `gemini ${stem}`;
  let count = numbers.get(counter) ?? 0;
  let id: string;
  do {
    count += 1;
    id = `${stem}:${count}`;
  } while (taken.has(id) || indexOfKey(index, withCallId(seed, id).keyStem) !== -1);
  numbers.set(counter, count);
  taken.add(id);
  return id;
}

function isUnasked(callId: string): boolean {
  return callId.includes(UNASKED);
}

function withCallId(seed: Seed, callId: string): Seed {
  const { item } = seed;
  switch (item.kind) {
    case "call":
      return { ...seed, item: { ...item, callId }, keyStem: `call:${callId}:${item.name}` };
    case "result":
      return { ...seed, item: { ...item, callId }, keyStem: `result:${callId}:${lastPart(seed.keyStem)}` };
    case "media": {
      const number = seed.keyStem.slice(seed.keyStem.indexOf("#"));
      return { ...seed, item: { ...item, callId }, keyStem: `media:${callId}${number}` };
    }
    default:
      return seed;
  }
}

/** The digest that a key's stem ends in. */
function lastPart(keyStem: string): string {
  return keyStem.slice(keyStem.lastIndexOf(":") + 1);
}
