import type { SessionFigures } from "../replay/replay-report.ts";
import { amountWords, countWords, regretWords } from "./figures.ts";

/** One session's figures, with Ebb and without, for a person. */
export function sessionLines(session: SessionFigures): readonly string[] {
  const declined = Object.entries(session.declined).map(([reason, count]) => `${reason} ${countWords(count)}`);
  return [
    `${session.file}: ${amountWords(session.requests, "request")}, ${countWords(session.released)} released, ${countWords(session.unique_released_tokens)} tokens`,
    `  stayed            ${declined.length === 0 ? "nothing was proposed" : declined.join(", ")}`,
    row("token-turns", session.token_turns, session.baseline_token_turns),
    row("of them stale", session.stale_token_turns, session.baseline_stale_token_turns),
    row("peak window", session.peak_window, session.baseline_peak_window),
    row("cache reads", session.cache_read_tokens, session.baseline_cache_read_tokens),
    row("cache writes", session.cache_write_tokens, session.baseline_cache_write_tokens),
    `  net cost          ${netCostWords(session.net_cost_usd)}`,
    `  regrets           ${regretWords(session.regret)}`,
    ...session.regretted.map(({ policy, ...one }) => `    ${policy.padEnd(15)} ${regretWords(one)}`),
    `  law violations    ${countWords(session.law_violations)}`,
  ];
}

/** Below half of the last digit nothing is claimed. */
function netCostWords(usd: number | null): string {
  if (usd === null) return "unknown";
  const amount = Math.abs(usd).toFixed(4);
  if (Number(amount) === 0) return "none: the same as without Ebb, to a hundredth of a cent";
  return `${amount} USD ${usd < 0 ? "less" : "more"} than without Ebb`;
}

function row(name: string, withEbb: number, without: number): string {
  return `  ${name.padEnd(17)} ${countWords(withEbb)} (${countWords(without)} without Ebb)`;
}
