import type { JsonBytes } from "../../lib/json-scan.ts";
import type { Original } from "./origin.ts";
import type { Seed } from "./seed.ts";

/** Items that are being read out of one entry. */
export interface SeedDraft {
  readonly seeds: Seed[];
  /** Originals that had to be made; the others share the entry's memory and cost nothing to find again. */
  readonly originals: Map<Seed, Original>;
}

/** Adds an item, and keeps its original for as long as the body lives. */
export function addSeed(draft: SeedDraft, entry: JsonBytes, seed: Seed, original: Original): void {
  draft.seeds.push(seed);
  const isShared = original.bytes.buffer === entry.bytes.buffer;
  if (!isShared) draft.originals.set(seed, original);
}
