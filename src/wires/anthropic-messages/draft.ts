import type { Breakpoint } from "../../model/transcript.ts";
import type { SeedDraft } from "../shared/draft.ts";
import type { BlockPlace } from "./layout.ts";

/** What is being read out of one message. */
export interface Draft extends SeedDraft {
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
