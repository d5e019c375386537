import type { MissCause } from "../model/prediction.ts";
import type { KeeperStats } from "./contract.ts";
import type { Judged } from "./feedback.ts";

/** What came of predictions, and what Ebb cost. */
export interface FeedbackCounts {
  /** Null where the response told no usage. */
  note(judged: Judged | null, guard: GuardState): void;
  counts(): Pick<KeeperStats, "predictions" | "net_guard">;
  /** Null where nothing was measured, or something that has no price on record. */
  netCostUsd(): number | null;
}

/** Whether the net guard stood in a lineage when a request was sent, whether it stands once it is answered, and since when. */
export interface GuardState {
  readonly stood: boolean;
  readonly stands: boolean;
  readonly lineage: string;
  readonly sessionId: string | null;
  readonly sinceMs: number;
}

/** Lineages in which the guard stands, by name; the oldest are forgotten first. */
const GUARDED_MAX = 64;

/** Counts that begin at nothing. */
export function createFeedbackCounts(): FeedbackCounts {
  const missed = new Map<MissCause, number>();
  const counts = { held: 0, unjudged: 0, none_reported: 0 };
  const guarded = { engaged: 0, requests: 0 };
  const guards = new Map<string, { readonly session: string | null; readonly since_ms: number }>();
  let measured = 0;
  let usd: number | null = 0;

  function noteVerdict(verdict: Judged["verdict"]): void {
    switch (verdict) {
      case "held":
      case "unjudged":
        counts[verdict]++;
        return;
      case "none reported":
        counts.none_reported++;
        return;
      case "ttl":
      case "model":
      case "tools":
      case "system":
      case "thinking changed":
      case "client edited history":
      case "hidden request":
      case "ours":
      case "unknown":
        missed.set(verdict, (missed.get(verdict) ?? 0) + 1);
    }
  }

  function noteGuard({ stood, stands, lineage, sessionId, sinceMs }: GuardState): void {
    if (stood) guarded.requests++;
    if (!stood && stands) guarded.engaged++;
    guards.delete(lineage);
    if (!stands) return;
    guards.set(lineage, { session: sessionId, since_ms: sinceMs });
    const [oldest] = guards.keys();
    if (guards.size > GUARDED_MAX && oldest !== undefined) guards.delete(oldest);
  }

  return {
    note(judged, guard) {
      noteVerdict(judged?.verdict ?? "unjudged");
      noteGuard(guard);
      if (judged === null) return;
      measured++;
      usd = usd === null || judged.net.usd === null ? null : usd + judged.net.usd;
    },
    counts: () => ({
      predictions: { ...counts, missed: Object.fromEntries(missed) },
      net_guard: { ...guarded, standing: Array.from(guards, ([lineage, one]) => ({ lineage, ...one })) },
    }),
    netCostUsd: () => (measured === 0 ? null : usd),
  };
}
