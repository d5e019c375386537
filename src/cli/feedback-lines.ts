import type { KeeperStats } from "../keeper/contract.ts";
import type { RateLimits } from "../proxy/rate-limits.ts";
import { amountWords, countWords } from "./figures.ts";
import { timeWords } from "./time-words.ts";

/** What came of predictions of cache reads: in all, the misses by their cause, and a provider that tells nothing. */
export function predictionLines({
  held,
  missed,
  unjudged,
  none_reported,
}: KeeperStats["predictions"]): readonly string[] {
  const causes = Object.entries(missed);
  const count = causes.reduce((sum, [, one]) => sum + one, 0);
  return [
    `${countWords(held)} held, ${countWords(count)} missed, ${countWords(unjudged + none_reported)} not judged`,
    ...causes.map(([cause, one]) => `missed, ${cause}: ${countWords(one)}`),
    ...(none_reported === 0
      ? []
      : [
          `${amountWords(none_reported, "response")} told nothing of the provider's cache: nothing acts on what it may hold`,
        ]),
  ];
}

/** Whether the net guard ever stood, and where it stands now; no line where it did not. */
export function netGuardLines({ engaged, requests, standing }: KeeperStats["net_guard"]): readonly string[] {
  if (engaged + requests === 0) return [];
  return [
    `came to stand ${amountWords(engaged, "time")}, and stood in ${amountWords(requests, "request")}: nothing new left by rule`,
    ...standing.map(({ session, lineage, since_ms }) => {
      const name = session === null ? `conversation ${lineage}` : `session ${session}`;
      return `stands in ${name} since ${timeWords(since_ms)}`;
    }),
  ];
}

/** How much of the provider's limits is in use; no line where it tells nothing. */
export function rateLimitLines(limits: RateLimits): readonly string[] {
  return Object.entries(limits).map(
    ([name, { last, highest }]) => `${name}: ${percentWords(last)} in use, highest ${percentWords(highest)}`,
  );
}

function percentWords(share: number): string {
  return `${Math.round(share * 100)} %`;
}
