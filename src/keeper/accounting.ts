import type { Decision, Decline } from "../model/decision.ts";
import type { KeeperStats, Mode } from "./contract.ts";
import { createDeclineCounts, createReleaseCounts } from "./decision-counts.ts";
import { createFeedbackCounts, type FeedbackCounts } from "./feedback-counts.ts";
import { createInlineCounts, type InlineCounts } from "./inline-counts.ts";
import { createNameCounts } from "./name-counts.ts";
import { createRegretCounts, type RegretCounts } from "./regret-counts.ts";
import { createWindowCounts, type WindowCounts } from "./window-counts.ts";

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
  noteWindow: WindowCounts["note"];
  noteReanchored: WindowCounts["noteReanchored"];
  noteUsage: WindowCounts["noteUsage"];
  noteRecall(): void;
  noteOffered: InlineCounts["noteOffered"];
  noteAside: InlineCounts["noteAside"];
  noteMarkerWrites(count: number): void;
  noteFallback(form: keyof KeeperStats["fallbacks"]): void;
  noteSignatureRefusal(): void;
  noteViolation(): void;
  noteError(atMs: number, code: string, words: string): void;
  stats(mode: Mode, lineages: number, isPaused?: boolean): KeeperStats;
}

const ERRORS_MAX = 50;
const WORDS_CHARS_MAX = 300;

const NOTHING_COUNTED = {
  requests: 0,
  counted: 0,
  items: 0,
  recalls: 0,
  markerWrites: 0,
  violations: 0,
  signatureRefusals: 0,
};

/** An account in which nothing was counted yet. */
export function createAccounting(): Accounting {
  const counts = { ...NOTHING_COUNTED };
  const adder = (name: keyof typeof counts) => (amount: number) => {
    counts[name] += amount;
  };
  const counter = (name: keyof typeof counts) => () => adder(name)(1);
  const fallbacks = { script_only: 0, original: 0, refused: 0 };
  const unread = createNameCounts();
  const unknownModels = createNameCounts();
  const window = createWindowCounts();
  const releases = createReleaseCounts();
  const declines = createDeclineCounts();
  const regrets = createRegretCounts();
  const feedback = createFeedbackCounts();
  const inline = createInlineCounts();
  const errors = createErrorList();

  return {
    noteRequest: (kind) => {
      counts[kind === "count" ? "counted" : "requests"]++;
    },
    noteUnread: unread.note,
    noteUnknownModel: unknownModels.note,
    noteAcquired: adder("items"),
    noteDecisions: releases.note,
    noteDeclines: declines.note,
    noteRegrets: regrets.note,
    noteJudged: feedback.note,
    noteWindow: window.note,
    noteReanchored: window.noteReanchored,
    noteUsage: window.noteUsage,
    noteRecall: counter("recalls"),
    noteOffered: inline.noteOffered,
    noteAside: inline.noteAside,
    noteMarkerWrites: adder("markerWrites"),
    noteFallback: (form) => {
      fallbacks[form]++;
    },
    noteSignatureRefusal: counter("signatureRefusals"),
    noteViolation: counter("violations"),
    noteError: errors.note,
    stats: (mode, lineages, isPaused = false) => ({
      mode,
      paused: isPaused,
      requests: counts.requests,
      counted: counts.counted,
      unread: unread.counts(),
      unknown_models: unknownModels.counts(),
      lineages,
      items: counts.items,
      ...releases.counts(),
      declined: declines.counts(),
      regretted: regrets.counts(),
      recalls: counts.recalls,
      ...inline.counts(),
      marker_writes: counts.markerWrites,
      ...feedback.counts(),
      figures: {
        ...releases.figures(),
        ...window.figures(),
        net_cost_usd: feedback.netCostUsd(),
        regret: regrets.figures(),
      },
      errors: errors.latest(),
      fallbacks: { ...fallbacks },
      signature_refusals: counts.signatureRefusals,
      law_violations: counts.violations,
    }),
  };
}

/** The latest errors, the newest last. */
function createErrorList() {
  const errors: { at_ms: number; code: string; words: string }[] = [];
  return {
    note(atMs: number, code: string, words: string): void {
      errors.push({ at_ms: atMs, code, words: words.slice(0, WORDS_CHARS_MAX) });
      if (errors.length > ERRORS_MAX) errors.shift();
    },
    latest: () => errors.slice(),
  };
}
