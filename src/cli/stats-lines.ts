import type { StoreSize } from "../model/store.ts";
import type { Stats } from "../proxy/own-endpoints.ts";
import { netGuardLines, predictionLines, rateLimitLines } from "./feedback-lines.ts";
import { amountWords, byteWords, countWords, regretWords } from "./figures.ts";
import { pausedLine } from "./time-words.ts";

const UNKNOWN_MODEL_WORDS =
  "not on record: the most cautious facts count for them; state theirs under models in ebb.yaml";

/** What a proxy did, in lines for a person. Tokens are estimates; what is unknown is said to be. `pausedSinceMs` null: not known. */
export function statsLines(stats: Stats, pausedSinceMs: number | null = null): readonly string[] {
  const { figures } = stats;
  const net = figures.net_cost_usd === null ? "unknown" : `${figures.net_cost_usd.toFixed(4)} USD`;
  return [
    `Ebb ${stats.version}, mode ${stats.mode}`,
    ...(stats.paused ? [pausedLine(pausedSinceMs)] : []),
    `Requests    ${countWords(stats.requests)}, and ${amountWords(stats.counted, "token count")}; ${amountWords(stats.lineages, "lineage")}, ${amountWords(stats.items, "item")}`,
    ...section("Released", stats.released.map(releaseWords)),
    ...section("Would leave", stats.would_release.map(releaseWords)),
    ...section(
      "Stayed",
      stats.declined.map((one) => `${one.reason}: ${stayedWords(one)}`),
    ),
    `Recalled    ${countWords(stats.recalls)}`,
    ...section("Inline", inlineLines(stats.inline)),
    ...section("Regrets", regretLines(stats)),
    ...(stats.marker_writes === 0
      ? []
      : [`Markers     ${amountWords(stats.marker_writes, "call")} would write a marker into a file`]),
    `Tokens      ${countWords(figures.removed_tokens)} removed of ${countWords(figures.attempted_tokens)} allowed, ${countWords(figures.reanchored_tokens)} written again`,
    `            ${countWords(figures.token_turns)} token-turns, ${countWords(figures.stale_token_turns)} of them stale, peak window ${countWords(figures.peak_window)}`,
    `Net cost    ${net}`,
    ...section("Net guard", netGuardLines(stats.net_guard)),
    ...section("Predicted", predictionLines(stats.predictions)),
    ...section("Limits", rateLimitLines(stats.proxy.rate_limits)),
    ...(stats.store === null ? [] : [`Store       ${storeLine(stats.store)}`]),
    ...section("Unread", countsIn({ ...stats.unread, ...stats.proxy.unedited })),
    ...section("Passed", countsIn(stats.proxy.passed_by)),
    ...section("Models", unknownModelLines(stats.unknown_models)),
    ...section("Refused", countsIn(stats.proxy.refused)),
    ...section("Upstream", countsIn(stats.proxy.upstream_errors)),
    ...section("Fallbacks", countsIn(stats.fallbacks)),
    ...(stats.signature_refusals === 0
      ? []
      : [
          `Thinking    ${amountWords(stats.signature_refusals, "request")} refused for signed thinking that did not fit`,
        ]),
    ...section(
      "Errors",
      stats.errors.map((error) => `${new Date(error.at_ms).toISOString()} ${error.code}: ${error.words}`),
    ),
    ...(stats.law_violations === 0 ? [] : [`Law violations: ${countWords(stats.law_violations)}`]),
  ];
}

/** A reason without an item is given once a request, and counted once a lineage. */
function stayedWords({ reason, items, item_requests: count }: Stats["declined"][number]): string {
  if (reason === "no_file_reads") return `${amountWords(count, "request")} of ${amountWords(items, "lineage")}`;
  return `${amountWords(items, "item")}, ${countWords(count)} over all requests`;
}

/** Releases that were missed, in all and by policy; one line where there are none. */
function regretLines({ figures, regretted }: Stats): readonly string[] {
  const words = regretWords(figures.regret);
  return [words, ...regretted.map(({ policy, ...one }) => `${policy}: ${regretWords(one)}`)];
}

/** Tools of Ebb's own inside the stream; nothing where none were offered or called. */
function inlineLines({ offered, asides, rounds }: Stats["inline"]): readonly string[] {
  if (offered + asides === 0) return [];
  return [
    `offered in ${amountWords(offered, "conversation")}, called in ${amountWords(asides, "answer")}, ${amountWords(rounds, "round")} of their own`,
  ];
}

/** How much is stored, in words. */
export function storeLine(size: StoreSize): string {
  return `${amountWords(size.originals, "original")}, ${byteWords(size.storedBytes)} stored of ${byteWords(size.originalBytes)}`;
}

function releaseWords(one: Stats["released"][number]): string {
  return `${one.policy}, ${one.reason}, at ${one.moment}: ${countWords(one.count)}, ${countWords(one.tokens)} tokens`;
}

/** Models that are not on record, and what to do about it. */
function unknownModelLines(counts: Stats["unknown_models"]): readonly string[] {
  const lines = Object.entries(counts).map(([name, count]) => `${name}: ${amountWords(count, "request")}`);
  if (lines.length === 0) return [];
  return [...lines, UNKNOWN_MODEL_WORDS];
}

function countsIn(counts: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name}: ${countWords(count)}`);
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => `${(index === 0 ? title : "").padEnd(12)}${line}`);
}
