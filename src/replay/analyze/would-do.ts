import type { Scope } from "../recording.ts";
import type { FileReplay, ReplayedRequest } from "../replay.ts";
import { addWould } from "./figures.ts";
import type { WouldDo } from "./session-analysis.ts";

/** What a replay did in the requests of a scope: each release, and under each reason the items that stayed, each once. */
export function wouldDoIn({ requests }: Pick<FileReplay, "requests">, scope: Scope): WouldDo {
  const seen = new Set<string>();
  const parts = requests
    .filter((request) => scope === "all" || request.isLive)
    .map((request): WouldDo => ({ released: releasesOf(request), declined: declinesOf(request, seen) }));
  return addWould(parts) ?? { released: [], declined: [] };
}

function releasesOf({ plan }: ReplayedRequest): WouldDo["released"] {
  return (plan?.fresh ?? []).map(({ reason, moment, originalTokens }) => {
    return { reason, moment, count: 1, tokens: originalTokens };
  });
}

function declinesOf({ plan }: ReplayedRequest, seen: Set<string>): WouldDo["declined"] {
  return (plan?.declines ?? []).flatMap(({ reason, itemKey }) => {
    const name = `${reason}|${itemKey ?? plan?.lineage}`;
    if (seen.has(name)) return [];
    seen.add(name);
    return [{ reason, items: 1 }];
  });
}
