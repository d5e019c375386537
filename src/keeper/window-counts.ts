import type { Usage } from "../model/usage.ts";
import type { Figures } from "./contract.ts";

/** Estimated tokens of one request as sent. */
export interface WindowTokens {
  readonly resident: number;
  readonly stale: number;
}

/** Tokens that were sent, and what of them was written again. */
export interface WindowCounts {
  note(tokens: WindowTokens): void;
  noteReanchored(tokens: number): void;
  noteUsage(usage: Usage): void;
  figures(): Pick<Figures, "token_turns" | "stale_token_turns" | "reanchored_tokens" | "peak_window">;
}

/** Nothing sent yet. */
export function createWindowCounts(): WindowCounts {
  const figures = { token_turns: 0, stale_token_turns: 0, reanchored_tokens: 0, peak_window: 0 };
  return {
    note({ resident, stale }) {
      figures.token_turns += resident;
      figures.stale_token_turns += stale;
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
