import type { Decision, Decline, DeclineReason } from "../model/decision.ts";
import type { Usage } from "../model/usage.ts";
import type { KeeperStats, Mode, ReleaseCount } from "./contract.ts";

/** Counts and figures since the keeper started. Everything it keeps is bounded. */
export interface Accounting {
  noteRequest(kind: "generate" | "count"): void;
  noteUnread(words: string): void;
  noteAcquired(count: number): void;
  noteDecisions(lineage: string, fresh: readonly Decision[], isActing: boolean): void;
  noteDeclines(lineage: string, declines: readonly Decline[]): void;
  noteWindow(tokens: WindowTokens): void;
  noteReanchored(tokens: number): void;
  noteUsage(usage: Usage): void;
  noteRecall(): void;
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
const UNREAD_WORDS_MAX = 50;
const UNIQUE_MAX = 200_000;
const WORDS_CHARS_MAX = 300;

export function createAccounting(): Accounting {
  const counts = { requests: 0, counted: 0, items: 0, recalls: 0, violations: 0 };
  const figures = { unique: 0, attempted: 0, removed: 0, tokenTurns: 0, staleTokenTurns: 0, reanchored: 0, peak: 0 };
  const fallbacks = { script_only: 0, original: 0, refused: 0 };
  const unread = new Map<string, number>();
  const released = new Map<string, ReleaseCount>();
  const wouldRelease = new Map<string, ReleaseCount>();
  const declined = new Map<DeclineReason, { itemRequests: number; items: number }>();
  const errors: { at_ms: number; code: string; words: string }[] = [];
  const isFirst = createFirsts();

  return {
    noteRequest(kind) {
      if (kind === "count") counts.counted++;
      else counts.requests++;
    },
    noteUnread(words) {
      const name = unread.has(words) || unread.size < UNREAD_WORDS_MAX ? words.slice(0, WORDS_CHARS_MAX) : "other";
      unread.set(name, (unread.get(name) ?? 0) + 1);
    },
    noteAcquired(count) {
      counts.items += count;
    },
    noteDecisions(lineage, fresh, isActing) {
      for (const decision of fresh) {
        if (!isActing && !isFirst(`would|${lineage}|${decision.itemKey}`)) continue;
        tally(isActing ? released : wouldRelease, decision);
        if (!isActing) continue;
        figures.attempted += decision.originalTokens;
        figures.removed += decision.originalTokens - decision.markerTokens;
        if (isFirst(`released|${decision.address}`)) figures.unique += decision.originalTokens;
      }
    },
    noteDeclines(lineage, declines) {
      for (const decline of declines) {
        const count = declined.get(decline.reason) ?? { itemRequests: 0, items: 0 };
        count.itemRequests++;
        if (isFirst(`${decline.reason}|${lineage}|${decline.itemKey}`)) count.items++;
        declined.set(decline.reason, count);
      }
    },
    noteWindow(tokens) {
      figures.tokenTurns += tokens.resident;
      figures.staleTokenTurns += tokens.stale;
      figures.peak = Math.max(figures.peak, tokens.resident);
    },
    noteReanchored(tokens) {
      figures.reanchored += tokens;
    },
    noteUsage(usage) {
      figures.peak = Math.max(figures.peak, usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens);
    },
    noteRecall() {
      counts.recalls++;
    },
    noteFallback(form) {
      fallbacks[form]++;
    },
    noteViolation() {
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
      lineages,
      items: counts.items,
      released: Array.from(released.values()),
      would_release: Array.from(wouldRelease.values()),
      declined: Array.from(declined, ([reason, count]) => ({
        reason,
        item_requests: count.itemRequests,
        items: count.items,
      })),
      recalls: counts.recalls,
      figures: {
        unique_released_tokens: figures.unique,
        attempted_tokens: figures.attempted,
        removed_tokens: figures.removed,
        token_turns: figures.tokenTurns,
        stale_token_turns: figures.staleTokenTurns,
        reanchored_tokens: figures.reanchored,
        peak_window: figures.peak,
        net_cost_usd: null,
      },
      errors: errors.slice(),
      fallbacks: { ...fallbacks },
      law_violations: counts.violations,
    }),
  };
}

/** Answers true the first time it sees a name; past its bound every name counts as seen. */
function createFirsts(): (name: string) => boolean {
  const seen = new Set<string>();
  return (name) => {
    if (seen.has(name) || seen.size >= UNIQUE_MAX) return false;
    seen.add(name);
    return true;
  };
}

function tally(counts: Map<string, ReleaseCount>, decision: Decision): void {
  const name = `${decision.policy}|${decision.reason}|${decision.moment}`;
  const before = counts.get(name);
  counts.set(name, {
    policy: decision.policy,
    reason: decision.reason,
    moment: decision.moment,
    count: (before?.count ?? 0) + 1,
    tokens: (before?.tokens ?? 0) + decision.originalTokens,
  });
}
