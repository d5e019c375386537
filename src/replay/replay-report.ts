import { labelText } from "../engine/marker.ts";
import type { KeeperStats, RegretFigures } from "../keeper/contract.ts";
import { sumOfRegrets } from "../keeper/regret-counts.ts";
import type { Decision, DeclineReason } from "../model/decision.ts";
import { releasesIn } from "./releases.ts";
import type { FileReplay, ReplayedRequest } from "./replay.ts";
import { type ExpiredRow, expiredRows, type LeftRow, leftRows } from "./replay-rows.ts";

/** One file's figures as `ebb replay --json` prints them. Tokens are estimates; a null is unknown, never zero. */
export interface SessionFigures {
  readonly file: string;
  readonly requests: number;
  readonly released: number;
  readonly released_by: Readonly<Record<string, number>>;
  readonly declined: Readonly<Record<string, number>>;
  readonly declined_items: Readonly<Record<string, number>>;
  /** What left when: one row a release, in order. */
  readonly left: readonly LeftRow[];
  /** Items whose lifetime was found to be over, in order, whether they left or waited. */
  readonly expired: readonly ExpiredRow[];
  readonly regret: RegretFigures;
  readonly regretted: KeeperStats["regretted"];
  readonly law_violations: number;
  readonly refused: number;
  readonly unique_released_tokens: number;
  readonly attempted_tokens: number;
  readonly removed_tokens: number;
  readonly token_turns: number;
  readonly baseline_token_turns: number;
  readonly stale_token_turns: number;
  readonly baseline_stale_token_turns: number;
  readonly peak_window: number;
  readonly baseline_peak_window: number;
  readonly reanchored_tokens: number;
  readonly cache_read_tokens: number;
  readonly baseline_cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly baseline_cache_write_tokens: number;
  readonly cost_usd: number | null;
  readonly baseline_cost_usd: number | null;
  readonly net_cost_usd: number | null;
}

/** The figures of one replayed file. */
export function sessionFigures(replay: FileReplay): SessionFigures {
  const stats = replay.keeper.stats();
  const baseline = replay.baseline.figures;
  const fresh = releasesIn(replay.requests).map(({ decision }) => decision);
  const refused = replay.requests.filter((request) => request.plan === null && request.problem !== null).length;
  return {
    file: replay.file,
    requests: replay.requests.length,
    released: fresh.length,
    released_by: countBy(fresh, (decision) => `${decision.reason} ${decision.moment}`),
    declined: reasonCounts(stats.declined, (count) => count.item_requests),
    declined_items: reasonCounts(stats.declined, (count) => count.items),
    left: leftRows(replay.requests),
    expired: expiredRows(replay.requests),
    regret: stats.figures.regret,
    regretted: stats.regretted,
    law_violations: stats.law_violations + replay.requests.flatMap((request) => request.violations).length,
    refused,
    unique_released_tokens: stats.figures.unique_released_tokens,
    attempted_tokens: stats.figures.attempted_tokens,
    removed_tokens: stats.figures.removed_tokens,
    token_turns: stats.figures.token_turns,
    baseline_token_turns: baseline.token_turns,
    stale_token_turns: stats.figures.stale_token_turns,
    baseline_stale_token_turns: baseline.stale_token_turns,
    peak_window: stats.figures.peak_window,
    baseline_peak_window: baseline.peak_window,
    reanchored_tokens: reanchored(replay.requests),
    cache_read_tokens: total(replay.requests, (one) => one.bill.cacheReadTokens),
    baseline_cache_read_tokens: total(replay.requests, (one) => one.baselineBill.cacheReadTokens),
    cache_write_tokens: total(replay.requests, (one) => writes(one.bill)),
    baseline_cache_write_tokens: total(replay.requests, (one) => writes(one.baselineBill)),
    cost_usd: replay.costUsd,
    baseline_cost_usd: replay.baseline.costUsd,
    net_cost_usd:
      replay.costUsd === null || replay.baseline.costUsd === null ? null : replay.costUsd - replay.baseline.costUsd,
  };
}

/** Sums of the sessions' figures; the peak is the largest, a cost is unknown where one of them is. */
export function totalFigures(sessions: readonly SessionFigures[]): Omit<SessionFigures, "file" | "left" | "expired"> {
  const sumOf = (figureOf: (session: SessionFigures) => number) =>
    sessions.reduce((sum, session) => sum + figureOf(session), 0);
  const costOf = (figureOf: (session: SessionFigures) => number | null) =>
    sessions.some((session) => figureOf(session) === null) ? null : sumOf((session) => figureOf(session) ?? 0);
  const mostOf = (figureOf: (session: SessionFigures) => number) => Math.max(0, ...sessions.map(figureOf));
  return {
    requests: sumOf((one) => one.requests),
    released: sumOf((one) => one.released),
    released_by: mergeCounts(sessions.map((one) => one.released_by)),
    declined: mergeCounts(sessions.map((one) => one.declined)),
    declined_items: mergeCounts(sessions.map((one) => one.declined_items)),
    regret: sumOfRegrets(sessions.map((one) => one.regret)),
    regretted: mergeRegrets(sessions.map((one) => one.regretted)),
    law_violations: sumOf((one) => one.law_violations),
    refused: sumOf((one) => one.refused),
    unique_released_tokens: sumOf((one) => one.unique_released_tokens),
    attempted_tokens: sumOf((one) => one.attempted_tokens),
    removed_tokens: sumOf((one) => one.removed_tokens),
    token_turns: sumOf((one) => one.token_turns),
    baseline_token_turns: sumOf((one) => one.baseline_token_turns),
    stale_token_turns: sumOf((one) => one.stale_token_turns),
    baseline_stale_token_turns: sumOf((one) => one.baseline_stale_token_turns),
    peak_window: mostOf((one) => one.peak_window),
    baseline_peak_window: mostOf((one) => one.baseline_peak_window),
    reanchored_tokens: sumOf((one) => one.reanchored_tokens),
    cache_read_tokens: sumOf((one) => one.cache_read_tokens),
    baseline_cache_read_tokens: sumOf((one) => one.baseline_cache_read_tokens),
    cache_write_tokens: sumOf((one) => one.cache_write_tokens),
    baseline_cache_write_tokens: sumOf((one) => one.baseline_cache_write_tokens),
    cost_usd: costOf((one) => one.cost_usd),
    baseline_cost_usd: costOf((one) => one.baseline_cost_usd),
    net_cost_usd: costOf((one) => one.net_cost_usd),
  };
}

function mergeCounts(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const merged: Record<string, number> = {};
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) merged[name] = (merged[name] ?? 0) + count;
  }
  return merged;
}

function mergeRegrets(all: readonly KeeperStats["regretted"][]): KeeperStats["regretted"] {
  const policies = Array.from(new Set(all.flat().map(({ policy }) => policy)));
  return policies.map((policy) => ({
    policy,
    ...sumOfRegrets(all.flat().filter((one) => one.policy === policy)),
  }));
}

/** What left, when and why: one line a release, in order. */
export function releaseLines(replay: FileReplay): readonly string[] {
  return releasesIn(replay.requests).map(({ request, decision }) => lineOf(request, decision));
}

function lineOf(request: ReplayedRequest, decision: Decision): string {
  const when = new Date(request.atMs).toISOString().slice(0, 19).replace("T", " ");
  const what = labelOf(request, decision);
  return `#${request.number} ${when}  ${decision.address}  ${decision.originalTokens.toLocaleString("en-US")} tokens  ${decision.reason} (${decision.moment})  ${what}`;
}

function labelOf(request: ReplayedRequest, decision: Decision): string {
  return request.plan === null ? "" : labelText(request.plan.labelOf(decision.itemKey));
}

/** Cached tokens that were written again because of Ebb: what each request wrote beyond what it writes without. */
function reanchored(requests: readonly ReplayedRequest[]): number {
  return total(requests, (one) => Math.max(0, writes(one.bill) - writes(one.baselineBill)));
}

function writes(bill: ReplayedRequest["bill"]): number {
  return bill.cacheWrite5mTokens + bill.cacheWrite1hTokens;
}

function total(requests: readonly ReplayedRequest[], figureOf: (request: ReplayedRequest) => number): number {
  return requests.reduce((sum, request) => sum + figureOf(request), 0);
}

function countBy<Value>(values: readonly Value[], nameOf: (value: Value) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[nameOf(value)] = (counts[nameOf(value)] ?? 0) + 1;
  return counts;
}

function reasonCounts<Count extends { readonly reason: DeclineReason }>(
  declined: readonly Count[],
  figureOf: (count: Count) => number,
): Record<string, number> {
  return Object.fromEntries(declined.map((count) => [count.reason, figureOf(count)]));
}
