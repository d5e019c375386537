import type { Decision } from "../model/decision.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { ClearReason } from "../model/server-clear.ts";
import type { ResponseFacts } from "../model/usage.ts";
import type { CarriedClear } from "./server-clear.ts";
import { PLACEHOLDER_TOKENS } from "./server-clear-plan.ts";

/** What a response to a request that asked tells. */
export interface ClearAnswer {
  /** What left, newly told. */
  readonly left: readonly Decision[];
  /** Why nothing is asked any more; null where it goes on. */
  readonly end: ClearReason | null;
}

const OK = 200;
const BAD_REQUEST = 400;
const GOES_ON: ClearAnswer = { left: [], end: null };

/**
 * Reads the provider's report beside what it was asked. It clears oldest first, so as many left as it tells; where it tells of none,
 * of fewer than before, of more than were asked, or nothing at all, it is not asked again. `known`: released by it before.
 */
export function clearAnswerOf(
  { leaving }: CarriedClear,
  response: ResponseFacts,
  status: number,
  isKnown: (decision: Decision) => boolean,
): ClearAnswer {
  const { serverCleared, isComplete, errorType } = response;
  const known = leaving.filter(isKnown);
  if (status === BAD_REQUEST && isAbout(response, known.length > 0)) return ended("refused");
  if (status !== OK || !isComplete || errorType !== null) return GOES_ON;
  if (serverCleared === undefined) return ended("not told");
  const { uses } = serverCleared;
  if (uses > leaving.length) return ended("not applied");
  // A result that the placeholder would not make shorter may stay, uncounted.
  const longer = leaving.filter(({ originalTokens }) => originalTokens > PLACEHOLDER_TOKENS);
  const cleared = uses === leaving.length ? leaving : longer.slice(0, uses);
  if (cleared.length === 0 || known.some((one) => !cleared.includes(one))) return ended("not applied");
  return { left: cleared.filter((one) => !isKnown(one)), end: null };
}

/** What the ledger is told of it: what left, or that all of it stands in full again. */
export function entriesOfAnswer({ left, end }: ClearAnswer, known: readonly Decision[]): readonly LedgerEntry[] {
  if (end === null) return left.map((decision) => ({ type: "item-released", decision }) as const);
  return [{ type: "server-clear-set", clearing: null, why: end }, ...known.map(restorationOf)];
}

/** The record that an item which the provider had cleared stands in full again. */
export function restorationOf({ itemKey, address, moment, step, turn }: Decision): LedgerEntry {
  return { type: "item-restored", restoration: { itemKey, address, moment, step, turn } };
}

/** Before it was ever done, any refusal of the body may be about it; afterwards only one that says so. */
function isAbout({ errorType, refusesThinking, refusesClearing }: ResponseFacts, wasDone: boolean): boolean {
  if (refusesClearing === true) return true;
  return !wasDone && errorType === "invalid_request_error" && refusesThinking !== true;
}

function ended(end: ClearReason): ClearAnswer {
  return { left: [], end };
}
