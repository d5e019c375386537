import type { Breakpoint } from "../../model/transcript.ts";
import type { SeedDraft } from "../shared/draft.ts";

/** What is being read out of one entry. */
export interface Draft extends SeedDraft {
  readonly breakpoints: Breakpoint[];
}

/** An empty draft. */
export function createDraft(): Draft {
  return { seeds: [], originals: new Map(), breakpoints: [] };
}
