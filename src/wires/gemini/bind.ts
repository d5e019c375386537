import { indexOfKey } from "../shared/key-index.ts";
import type { Original } from "../shared/origin.ts";
import type { Placement } from "../shared/placement.ts";
import { type Seed, sealSeed } from "../shared/seed.ts";
import type { OpenCalls } from "./open-calls.ts";
import type { ContentSeed } from "./seed.ts";

/**
 * The seeds of a content that is placed next, with call ids where the body states none: a call gets one by its function, arguments
 * and occurrence, and a response that of the first open call of its function. One that answers none gets an id of its own and is not
 * replaced. `open` goes on behind the content; `originals` are kept for the seeds that take the place of others. */
export function bindCalls(
  placement: Placement,
  content: ContentSeed,
  open: OpenCalls,
  originals: Map<Seed, Original>,
): readonly Seed[] {
  const { role, seeds, unbound } = content;
  if (role === "assistant") open.clear();
  for (const [at, { item }] of seeds.entries()) if (unbound[at] === null) open.answer(item);
  const bound = unbound.every((name) => name === null) ? seeds : boundSeeds(placement, content, open, originals);
  if (role === "assistant") for (const { item } of bound) open.ask(item);
  return bound;
}

const DIGEST_CHARS = 16;
const UNASKED = ":unasked:";

function boundSeeds(
  placement: Placement,
  { seeds, unbound }: ContentSeed,
  open: OpenCalls,
  originals: Map<Seed, Original>,
): readonly Seed[] {
  const taken = new Set<string>();
  let last = "";
  return seeds.map((seed, at) => {
    const name = unbound[at] ?? null;
    if (name === null) return seed;
    const { item } = seed;
    // Media follow the response that holds them.
    if (item.kind !== "media") last = idOf(placement, seed, name, { open, taken });
    const named = withCallId(seed, last);
    // Its id is told by its words, and would not outlive them.
    const bound = isUnasked(last) ? sealSeed(named) : named;
    const original = originals.get(seed);
    if (original !== undefined) originals.set(bound, original);
    return bound;
  });
}

interface Ids {
  readonly open: OpenCalls;
  /** Given to the same content. */
  readonly taken: Set<string>;
}

function idOf(placement: Placement, seed: Seed, name: string, { open, taken }: Ids): string {
  const { item } = seed;
  if (item.kind !== "result") return numbered(placement, seed, item.kind === "call" ? item.callId : name, taken);
  const stem = `${name}${UNASKED}${lastPart(seed.keyStem).slice(0, DIGEST_CHARS)}`;
  return open.take(name) ?? numbered(placement, seed, stem, taken);
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
