import type { Decision, Decline, DeclineReason } from "../model/decision.ts";
import type { Figures, KeeperStats, ReleaseCount } from "./contract.ts";

/** Releases that acted, and those that observing only counted. */
export interface ReleaseCounts {
  note(fresh: readonly Decision[], isActing: boolean): void;
  counts(): Pick<KeeperStats, "released" | "would_release">;
  figures(): Pick<Figures, "unique_released_tokens" | "attempted_tokens" | "removed_tokens">;
}

/** Declines by reason. */
export interface DeclineCounts {
  note(lineage: string, declines: readonly Decline[]): void;
  counts(): KeeperStats["declined"];
}

const UNIQUE_MAX = 200_000;

/** A repaired answer is an insertion: it frees nothing, so it counts against what was removed and nowhere else. */
export function createReleaseCounts(): ReleaseCounts {
  const released = new Map<string, ReleaseCount>();
  const wouldRelease = new Map<string, ReleaseCount>();
  const figures = { unique: 0, attempted: 0, removed: 0 };
  const isFirst = createFirsts();

  function act(decision: Decision): void {
    tally(released, decision);
    figures.removed += decision.originalTokens - decision.markerTokens;
    if (decision.reason === "stub_repair") return;
    figures.attempted += decision.originalTokens;
    if (isFirst(`released|${decision.address}`)) figures.unique += decision.originalTokens;
  }

  return {
    note(fresh, isActing) {
      for (const decision of fresh) {
        if (isActing) act(decision);
        else if (isFirst(`would|${decision.address}`)) tally(wouldRelease, decision);
      }
    },
    counts: () => ({ released: Array.from(released.values()), would_release: Array.from(wouldRelease.values()) }),
    figures: () => ({
      unique_released_tokens: figures.unique,
      attempted_tokens: figures.attempted,
      removed_tokens: figures.removed,
    }),
  };
}

/** An item counts once for each reason, in whatever lineage it stands; a reason without an item once a lineage. */
export function createDeclineCounts(): DeclineCounts {
  const declined = new Map<DeclineReason, { itemRequests: number; items: number }>();
  const isFirst = createFirsts();
  return {
    note(lineage, declines) {
      for (const { reason, itemKey } of declines) {
        const count = declined.get(reason) ?? { itemRequests: 0, items: 0 };
        count.itemRequests++;
        if (isFirst(`${reason}|${itemKey ?? lineage}`)) count.items++;
        declined.set(reason, count);
      }
    },
    counts: () =>
      Array.from(declined, ([reason, { itemRequests, items }]) => ({ reason, item_requests: itemRequests, items })),
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
