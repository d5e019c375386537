import type { Usage } from "../model/usage.ts";
import type { Figures } from "./contract.ts";

/** Estimated tokens of one request as sent. */
export interface WindowTokens {
  readonly resident: number;
  readonly stale: number;
  /** What stale reads would have added to it in full, beyond what stands in their place. */
  readonly avoided: number;
  /** Answers of a recall that it holds for the first time. */
  readonly recalledItems: number;
  readonly recalledTokens: number;
}

/** Tokens that were sent, and what of them was written again. */
export interface WindowCounts {
  note(tokens: WindowTokens): void;
  noteReanchored(tokens: number): void;
  noteUsage(usage: Usage): void;
  figures(): WindowFigures;
}

type WindowFigures = Pick<
  Figures,
  | "token_turns"
  | "stale_token_turns"
  | "stale_token_turns_avoided"
  | "reanchored_tokens"
  | "peak_window"
  | "recalled_items"
  | "recalled_tokens"
>;

/** Nothing sent yet. */
export function createWindowCounts(): WindowCounts {
  const figures = {
    token_turns: 0,
    stale_token_turns: 0,
    stale_token_turns_avoided: 0,
    reanchored_tokens: 0,
    peak_window: 0,
    recalled_items: 0,
    recalled_tokens: 0,
  };
  return {
    note({ resident, stale, avoided, recalledItems, recalledTokens }) {
      figures.token_turns += resident;
      figures.stale_token_turns += stale;
      figures.stale_token_turns_avoided += avoided;
      figures.recalled_items += recalledItems;
      figures.recalled_tokens += recalledTokens;
      figures.peak_window = Math.max(figures.peak_window, resident);
    },
    noteReanchored(tokens) {
      figures.reanchored_tokens += tokens;
    },
    noteUsage({ inputTokens, cacheReadTokens, cacheWriteTokens }) {
      figures.peak_window = Math.max(figures.peak_window, inputTokens + cacheReadTokens + cacheWriteTokens);
    },
    figures: () => ({ ...figures }),
  };
}
