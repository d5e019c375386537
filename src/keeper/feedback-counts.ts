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

/** Whether the net guard stood when a request was sent, and whether it stands once it is answered. */
export interface GuardState {
  readonly stood: boolean;
  readonly stands: boolean;
}

/** Counts that begin at nothing. */
export function createFeedbackCounts(): FeedbackCounts {
  const missed = new Map<MissCause, number>();
  const counts = { held: 0, unjudged: 0, none_reported: 0 };
  const guarded = { engaged: 0, requests: 0 };
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

  return {
    note(judged, { stood, stands }) {
      noteVerdict(judged?.verdict ?? "unjudged");
      if (stood) guarded.requests++;
      if (!stood && stands) guarded.engaged++;
      if (judged === null) return;
      measured++;
      usd = usd === null || judged.net.usd === null ? null : usd + judged.net.usd;
    },
    counts: () => ({
      predictions: { ...counts, missed: Object.fromEntries(missed) },
      net_guard: { ...guarded },
    }),
    netCostUsd: () => (measured === 0 ? null : usd),
  };
}
