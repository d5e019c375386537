import type { ReanchorCost, ReanchorFigures } from "../replay/reanchor.ts";
import { amountWords, countWords } from "./figures.ts";
import { usdWords } from "./usd-words.ts";

const NAME_CHARS = 22;
const CELL_CHARS = 18;

/** What writing stale reads out of one session's cached prefix costs and saves, for a person: each by itself, and all as one batch. */
export function reanchorLines(figures: ReanchorFigures): readonly string[] {
  const { file, requests, turns, stale_transitions: transitions, batch } = figures;
  const head = `${file}: ${amountWords(requests, "request")}, ${amountWords(turns, "turn")}, ${amountWords(transitions, "stale transition")}`;
  if (transitions === 0) return [head];
  const row = (name: string, cell: (cost: ReanchorCost) => string) =>
    `  ${name.padEnd(NAME_CHARS)}${cell(figures).padStart(CELL_CHARS)}${cell(batch).padStart(CELL_CHARS)}`;
  return [
    head,
    `  ${"".padEnd(NAME_CHARS)}${"each by itself".padStart(CELL_CHARS)}${"as one batch".padStart(CELL_CHARS)}`,
    row("written again, once", (cost) => `${countWords(Math.round(cost.reanchored_tokens))} tokens`),
    row("", (cost) => usdWords(cost.reanchor_cost_usd)),
    row("saved per request", (cost) => `${countWords(Math.round(cost.saved_tokens_per_request))} tokens`),
    row("", (cost) => usdWords(cost.saved_usd_per_request)),
    row("break-even after", breakEvenWords),
    `  from read to edit     ${(figures.distance_mean ?? 0).toFixed(1)} messages in the mean, ${countWords(figures.distance_max ?? 0)} at most`,
  ];
}

function breakEvenWords({ break_even_requests: requests, saved_usd_per_request: saved }: ReanchorCost): string {
  if (requests !== null) return amountWords(Math.ceil(requests), "request");
  return saved === null ? "unknown" : "never";
}
