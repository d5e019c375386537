import type { Decision } from "../model/decision.ts";
import type { ReplayedRequest } from "./replay.ts";

/** A release, and the request that made it. */
export interface Release {
  readonly request: ReplayedRequest;
  readonly decision: Decision;
}

/**
 * Every release of a replay, in order, each where it was decided. What the provider cleared by itself is told by a response: it counts
 * with the request that knows of it first.
 */
export function releasesIn(requests: readonly ReplayedRequest[]): readonly Release[] {
  const told = new Set<string>();
  return requests.flatMap((request) => {
    const cleared = (request.plan?.inForce ?? []).filter(({ moment }) => moment === "server-clear");
    const news = cleared.filter(({ address }) => !told.has(address));
    for (const { address } of news) told.add(address);
    return [...(request.plan?.fresh ?? []), ...news].map((decision) => ({ request, decision }));
  });
}
