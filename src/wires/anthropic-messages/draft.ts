import type { JsonBytes } from "../../lib/json-scan.ts";
import type { Breakpoint } from "../../model/transcript.ts";
import type { BlockPlace } from "./layout.ts";
import type { Original } from "./origin.ts";
import type { Seed } from "./seed.ts";

/** What is being read out of one message. */
export interface Draft {
  readonly seeds: Seed[];
  /** Originals that had to be made; the others share the message's memory and cost nothing to find again. */
  readonly originals: Map<Seed, Original>;
  /** By the seeds up to and including their block. */
  readonly breakpoints: Breakpoint[];
  /** Seeds up to and including the last block on which the provider may place a breakpoint by itself. */
  carrierCount: number;
  readonly blocks: BlockPlace[];
}

/** An empty draft. */
export function createDraft(): Draft {
  return { seeds: [], originals: new Map(), breakpoints: [], carrierCount: 0, blocks: [] };
}

/** Adds an item, and keeps its original for as long as the body lives. */
export function addSeed(draft: Draft, message: JsonBytes, seed: Seed, original: Original): void {
  draft.seeds.push(seed);
  const isShared = original.bytes.buffer === message.bytes.buffer;
  if (!isShared) draft.originals.set(seed, original);
}
