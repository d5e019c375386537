import type { Verdict } from "../model/prediction.ts";

/** How far what Ebb believes of the provider's cache has proven right in a lineage. */
export interface Confidence {
  /** A prediction failed for a reason that neither the client nor the clock explains, and too few held since. */
  readonly isDoubted: boolean;
  /** Predictions that held since the last one that failed so. */
  readonly heldInARow: number;
  /** Responses in a row that told nothing of a cache where they should. */
  readonly noneInARow: number;
}

/** Nothing was predicted yet. */
export const CONFIDENT: Confidence = { isDoubted: false, heldInARow: 0, noneInARow: 0 };

/** A history goes on from one in doubt. */
export const DOUBTED: Confidence = { ...CONFIDENT, isDoubted: true };

/** Predictions that have to hold again. */
const HELD_MIN = 2;
/** So many silent responses make a provider that tells nothing. */
const NONE_MIN = 2;

/** Confidence after one more verdict. What cannot be judged, and what the client or the clock explains, leaves it as it was. */
export function withVerdict(before: Confidence, verdict: Verdict): Confidence {
  switch (verdict) {
    case "unjudged":
      return before;
    case "none reported":
      return { ...before, noneInARow: before.noneInARow + 1 };
    case "held": {
      const heldInARow = before.heldInARow + 1;
      return { isDoubted: before.isDoubted && heldInARow < HELD_MIN, heldInARow, noneInARow: 0 };
    }
    case "ours":
    case "hidden request":
    case "unknown":
      return { isDoubted: true, heldInARow: 0, noneInARow: 0 };
    case "ttl":
    case "model":
    case "tools":
    case "system":
    case "thinking changed":
    case "client edited history":
      return { ...before, noneInARow: 0 };
  }
}

/** Whether items that were sent may be changed for what the provider is believed to hold. */
export function isTrusted({ isDoubted, noneInARow }: Confidence): boolean {
  return !isDoubted && noneInARow < NONE_MIN;
}
