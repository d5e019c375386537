import type { Decision, Decline } from "../model/decision.ts";
import type { Usage } from "../model/usage.ts";
import type { KeeperStats, Mode } from "./contract.ts";
import { createDeclineCounts, createReleaseCounts } from "./decision-counts.ts";
import { createFeedbackCounts, type FeedbackCounts } from "./feedback-counts.ts";
import { createRegretCounts, type RegretCounts } from "./regret-counts.ts";

/** Counts and figures since the keeper started. Everything it keeps is bounded. */
export interface Accounting {
  noteRequest(kind: "generate" | "count"): void;
  noteUnread(words: string): void;
  /** True for a name that was not counted before. */
  noteUnknownModel(name: string): boolean;
  noteAcquired(count: number): void;
  noteDecisions(fresh: readonly Decision[], isActing: boolean): void;
  noteDeclines(lineage: string, declines: readonly Decline[]): void;
  noteRegrets: RegretCounts["note"];
  noteJudged: FeedbackCounts["note"];
  noteWindow(tokens: WindowTokens): void;
  noteReanchored(tokens: number): void;
  noteUsage(usage: Usage): void;
  noteRecall(): void;
  noteMarkerWrites(count: number): void;
  noteFallback(form: keyof KeeperStats["fallbacks"]): void;
  noteViolation(): void;
  noteError(atMs: number, code: string, words: string): void;
  stats(mode: Mode, lineages: number): KeeperStats;
}

/** Estimated tokens of one request as sent. */
export interface WindowTokens {
  readonly resident: number;
  readonly stale: number;
}

const ERRORS_MAX = 50;
const NAMES_MAX = 50;
const WORDS_CHARS_MAX = 300;

/** An account in which nothing was counted yet. */
export function createAccounting(): Accounting {
  const counts = { requests: 0, counted: 0, items: 0, recalls: 0, markerWrites: 0, violations: 0 };
  const window = { token_turns: 0, stale_token_turns: 0, reanchored_tokens: 0, peak_window: 0 };
  const fallbacks = { script_only: 0, original: 0, refused: 0 };
  const unread = new Map<string, number>();
  const unknownModels = new Map<string, number>();
  const releases = createReleaseCounts();
  const declines = createDeclineCounts();
  const regrets = createRegretCounts();
  const feedback = createFeedbackCounts();
  const errors: { at_ms: number; code: string; words: string }[] = [];

  return {
    noteRequest: (kind) => {
      counts[kind === "count" ? "counted" : "requests"]++;
    },
    noteUnread: (words) => {
      countName(unread, words.slice(0, WORDS_CHARS_MAX));
    },
    noteUnknownModel: (name) => countName(unknownModels, name),
    noteAcquired: (count) => {
      counts.items += count;
    },
    noteDecisions: releases.note,
    noteDeclines: declines.note,
    noteRegrets: regrets.note,
    noteJudged: feedback.note,
    noteWindow({ resident, stale }) {
      window.token_turns += resident;
      window.stale_token_turns += stale;
      window.peak_window = Math.max(window.peak_window, resident);
    },
    noteReanchored: (tokens) => {
      window.reanchored_tokens += tokens;
    },
    noteUsage({ inputTokens, cacheReadTokens, cacheWriteTokens }) {
      window.peak_window = Math.max(window.peak_window, inputTokens + cacheReadTokens + cacheWriteTokens);
    },
    noteRecall: () => {
      counts.recalls++;
    },
    noteMarkerWrites: (count) => {
      counts.markerWrites += count;
    },
    noteFallback: (form) => {
      fallbacks[form]++;
    },
    noteViolation: () => {
      counts.violations++;
    },
    noteError(atMs, code, words) {
      errors.push({ at_ms: atMs, code, words: words.slice(0, WORDS_CHARS_MAX) });
      if (errors.length > ERRORS_MAX) errors.shift();
    },
    stats: (mode, lineages) => ({
      mode,
      requests: counts.requests,
      counted: counts.counted,
      unread: Object.fromEntries(unread),
      unknown_models: Object.fromEntries(unknownModels),
      lineages,
      items: counts.items,
      ...releases.counts(),
      declined: declines.counts(),
      regretted: regrets.counts(),
      recalls: counts.recalls,
      marker_writes: counts.markerWrites,
      ...feedback.counts(),
      figures: { ...releases.figures(), ...window, net_cost_usd: feedback.netCostUsd(), regret: regrets.figures() },
      errors: errors.slice(),
      fallbacks: { ...fallbacks },
      law_violations: counts.violations,
    }),
  };
}

/** Counts a name; beyond so many different ones the rest share one. True for a name that was not counted before. */
function countName(counts: Map<string, number>, name: string): boolean {
  const counted = counts.has(name) || counts.size < NAMES_MAX ? name : "other";
  const before = counts.get(counted) ?? 0;
  counts.set(counted, before + 1);
  return before === 0;
}
