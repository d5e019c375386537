import type { DeclineReason, Moment, ReleaseReason } from "../../model/decision.ts";
import type { Figures, WouldDo } from "./session-analysis.ts";

const REASONS: Readonly<Record<ReleaseReason, string>> = {
  stale: "stale",
  superseded: "superseded",
  over_bound: "over the bound",
  stub_repair: "dangling stubs",
  expired: "past their lifetime",
  let_go: "let go",
  kept: "kept in part",
  over_budget: "over the media budget",
};

const MOMENTS: Readonly<Record<Moment, string>> = {
  "first-send": "at first send",
  "prefix-broken": "where the cached prefix was broken anyway",
  cold: "on a cold cache",
  native: "through the provider's own deletion",
  "server-clear": "through the provider's own context editing",
  pays: "where it pays",
  pressure: "under pressure",
  limit: "at a provider's limit",
  deliberate: "by decision",
  forced: "at any depth",
};

/** What is said of items that stayed; null: not of an item that stayed in full. */
const STAYED: Readonly<Record<DeclineReason, string | null>> = {
  no_file_reads: null,
  already_marked: null,
  fresh_read: "counted as fresh",
  cached_prefix: "still in the provider's cache",
  path_active: "of files in use a few steps before",
  below_min_tokens: "too small to gain by it",
  unknown_boundary: "from before Ebb saw the conversation",
  bound_thinking: "under signed thinking",
  not_stored: "kept out of the store",
  load_bearing: "that a later answer points to",
  marker_no_win: "no larger than their marker",
  non_text_blocks: "with parts that are not text",
  kept_verbatim_after_expand: "recalled on purpose",
  held_by_span: "within their lifetime",
  protected: "protected",
  does_not_pay: "that cost more than they save",
  thrash_guard: "recalled after they had left",
};

/** One sentence on what Ebb would do with a session, or plainly why nothing. */
export function wordsOf(figures: Pick<Figures, "reads" | "edits" | "over_bound">, would: WouldDo | null): string {
  const { stale, superseded, fresh } = figures.reads;
  const candidates = stale.count + superseded.count;
  const over = figures.over_bound.count;
  if (candidates === 0 && over === 0) return idleWords(fresh.count, figures.edits);
  if (would === null) return candidateWords(figures);
  const count = would.released.reduce((sum, part) => sum + part.count, 0);
  if (count === 0) return `${candidateWords(figures)} Ebb would release nothing.${stayedWords(would)}`;
  const tokens = would.released.reduce((sum, part) => sum + part.tokens, 0);
  const parts = would.released.map((part) => `${part.count} ${REASONS[part.reason]} ${MOMENTS[part.moment]}`);
  return `Ebb would release ${amountWords(count, "result", tokens)}: ${parts.join(", ")}.${stayedWords(would)}`;
}

function idleWords(freshReads: number, edits: number): string {
  if (freshReads === 0) return "No file reads and nothing over the bound: nothing here for Ebb to do.";
  if (edits === 0) return "Read-only investigation: nothing here is stale.";
  return "Nothing that was read changed or was read again later: nothing here is stale.";
}

function candidateWords({ reads, over_bound }: Pick<Figures, "reads" | "over_bound">): string {
  const parts = [
    amountOrNull(reads.stale.count, "stale read", reads.stale.tokens),
    amountOrNull(reads.superseded.count, "superseded read", reads.superseded.tokens),
    amountOrNull(over_bound.count, "result over the bound", over_bound.tokens),
  ].filter((part) => part !== null);
  return `Could leave: ${parts.join(", ")}.`;
}

/** An item may stay for one reason in one request and for another in a later one: each is counted. */
function stayedWords(would: WouldDo): string {
  const counts = would.declined
    .flatMap(({ reason, items }) => (items > 0 ? [{ items, words: STAYED[reason] }] : []))
    .filter(({ words }) => words !== null)
    .sort((a, b) => b.items - a.items);
  return counts.length === 0
    ? ""
    : ` Held in at least one request: ${counts.map(({ items, words }) => `${items} ${words}`).join(", ")}.`;
}

function amountOrNull(count: number, noun: string, tokens: number): string | null {
  return count === 0 ? null : amountWords(count, noun, tokens);
}

function amountWords(count: number, noun: string, tokens: number): string {
  const [head = "", ...rest] = noun.split(" ");
  const plural = noun.startsWith("result ") ? `${head}s ${rest.join(" ")}` : `${noun}s`;
  return `${count} ${count === 1 ? noun : plural} (about ${tokens.toLocaleString("en-US")} tokens)`;
}
