import type { Mode } from "../../keeper/contract.ts";
import type { RateLimits } from "../../proxy/rate-limits.ts";
import { amountWords, countWords } from "../figures.ts";
import { usdWords } from "../usd-words.ts";
import type { Agent } from "./agent.ts";
import type { RunStats } from "./run-proxy.ts";
import { stayWords, whyNothingLeft } from "./stay-words.ts";

/** What one run comes to. */
export interface Account {
  readonly agent: Pick<Agent, "api">;
  readonly mode: Mode;
  readonly isPaused: boolean;
  readonly port: number;
  /** Null where the proxy went away before the agent did. */
  readonly stats: RunStats | null;
  /** File with the log of what went wrong; null where another process has it. */
  readonly logFile: string | null;
}

/** The account of a run, for a person. Tokens are estimates; what is not known is said to be. */
export function accountLines(account: Account): readonly string[] {
  const { stats, port } = account;
  if (stats === null) {
    return [
      `the proxy on port ${port} ended before the agent: what was asked after that failed, and the account is lost`,
    ];
  }
  const unread = unreadWords(account, stats);
  if (unread !== null) return [`0 released: ${unread}`, ...troubleLines(account, stats)];
  const { figures, declined } = stats;
  return [
    [releasedWords(account, stats), recalledWords(figures), amountWords(stats.requests, "request")].join("; "),
    `peak window ${countWords(figures.peak_window)} tokens`,
    `${countWords(figures.stale_token_turns_avoided)} stale token-turns avoided, ${countWords(figures.stale_token_turns)} sent`,
    `stayed: ${stayWords(declined) ?? "nothing that could have left"}`,
    `net cost ${netWords(figures.net_cost_usd)}; ${limitWords(stats.proxy.rate_limits)}`,
    ...troubleLines(account, stats),
  ];
}

/** Why not one request was read; null where one was. */
function unreadWords({ agent }: Account, { requests, counted, unread, proxy }: RunStats): string | null {
  const { passed, unedited } = proxy;
  const aside = sumOf(unedited) + sumOf(unread);
  if (requests - sumOf(unread) > 0) return null;
  if (aside > 0)
    return `${amountWords(aside, "request")} could not be read (${Object.keys({ ...unread, ...unedited }).join(", ")})`;
  if (passed > 0) {
    return `none was for the ${agent.api.name}; ${amountWords(passed, "request")} passed unchanged`;
  }
  return counted > 0 ? "only token counts were asked for" : "no request came through Ebb";
}

function releasedWords({ mode, isPaused }: Account, stats: RunStats): string {
  const { count, tokens } = totalOf(stats.released);
  if (count > 0) return `${countWords(count)} released (${countWords(tokens)} tokens)`;
  if (isPaused) return "0 released: Ebb is paused";
  if (mode === "off") return "0 released: the mode is off";
  if (mode === "enforce") return `0 released: ${whyNothingLeft(stats)}`;
  const would = totalOf(stats.would_release);
  if (would.count === 0) return `0 released, and 0 would have been (mode observe): ${whyNothingLeft(stats)}`;
  return `0 released (mode observe): ${countWords(would.count)} would have been (${countWords(would.tokens)} tokens)`;
}

/** A repaired answer lets nothing leave. */
function totalOf(releases: RunStats["released"]): { readonly count: number; readonly tokens: number } {
  const leaving = releases.filter(({ reason }) => reason !== "stub_repair");
  return {
    count: leaving.reduce((sum, one) => sum + one.count, 0),
    tokens: leaving.reduce((sum, one) => sum + one.tokens, 0),
  };
}

function recalledWords({ recalled_items: count, recalled_tokens: tokens }: RunStats["figures"]): string {
  return count === 0 ? "0 recalled" : `${countWords(count)} recalled (${countWords(tokens)} tokens)`;
}

function netWords(usd: number | null): string {
  return usd === null ? "unknown" : `${usdWords(usd)} (estimate)`;
}

function limitWords(limits: RateLimits): string {
  const words = Object.entries(limits).map(
    ([name, { first, last }]) => `${name} ${percent(first)} to ${percent(last)}`,
  );
  return words.length === 0 ? "the provider told no limits" : `limits in use: ${words.join(", ")}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** What a person should know of although the agent went on. */
function troubleLines({ logFile }: Account, stats: RunStats): readonly string[] {
  const { fallbacks, signature_refusals, law_violations, errors, proxy } = stats;
  const troubles = [
    count(fallbacks.refused, "request had no form that may be sent", "requests had no form that may be sent"),
    count(signature_refusals, "refusal for signed thinking", "refusals for signed thinking"),
    count(law_violations, "broken law", "broken laws"),
    count(sumOf(proxy.upstream_errors), "failure to reach the provider", "failures to reach the provider"),
    count(errors.length, "error survived", "errors survived"),
  ].filter((words) => words !== null);
  if (troubles.length === 0) return [];
  return [`trouble: ${troubles.join(", ")}${logFile === null ? "" : `; see ${logFile}`}`];
}

function count(amount: number, one: string, many: string): string | null {
  return amount === 0 ? null : `${countWords(amount)} ${amount === 1 ? one : many}`;
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, one) => sum + one, 0);
}
