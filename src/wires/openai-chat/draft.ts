import type { SeedDraft } from "../shared/draft.ts";

/** What is being read out of one message. */
export interface Draft extends SeedDraft {
  /** Count of seeds up to and including each part with a cache breakpoint. */
  readonly breakpoints: number[];
}

/** An empty draft. */
export function createDraft(): Draft {
  return { seeds: [], originals: new Map(), breakpoints: [] };
}
