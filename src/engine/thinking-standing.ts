import { addressOf } from "../lib/hash.ts";
import type { Decision, Moment } from "../model/decision.ts";
import type { ItemKey } from "../model/item.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { Clock } from "../model/transcript.ts";

/** What became of signed thinking in a lineage, and what a refusal for it takes back. */
export interface ThinkingStanding {
  /** Thinking that is left out for ever, with the clock at which it left. */
  readonly stripped: ReadonlyMap<ItemKey, Clock>;
  /** The provider is asked to drop thinking that no longer fits. */
  readonly isDropping: boolean;
  /** The provider refused a request for thinking that did not fit. */
  readonly isRefused: boolean;
  /** What requests changed first that no answer is on record for, oldest first. */
  readonly unanswered: readonly SentChanges[];
  /** The same of the request whose record follows. */
  readonly next: Changes;
}

/** Changes of what was sent before. */
export interface Changes {
  /** Items with the decision that was in force before; null: none. */
  readonly decisions: ReadonlyMap<ItemKey, Decision | null>;
  readonly stripped: readonly ItemKey[];
  readonly startsDropping: boolean;
}

interface SentChanges extends Changes {
  readonly requestId: string;
  readonly step: number;
}

const NO_CHANGES: Changes = { decisions: new Map(), stripped: [], startsDropping: false };

/** Nothing happened to thinking. */
export const THINKING_AS_IT_CAME: ThinkingStanding = {
  stripped: new Map(),
  isDropping: false,
  isRefused: false,
  unanswered: [],
  next: NO_CHANGES,
};

/** Requests on their way at once, retries among them. */
const UNANSWERED_MAX = 32;

const HARMLESS: ReadonlySet<Moment> = new Set(["first-send", "native", "server-clear"]);

/** False for moments at which nothing changes that thinking was signed over. */
export function rewrites(moment: Moment): boolean {
  return !HARMLESS.has(moment);
}

/** Notes a decision, or the end of one, about an item; `before` is what was in force. */
export function withDecided(
  standing: ThinkingStanding,
  { itemKey, moment }: { readonly itemKey: ItemKey; readonly moment: Moment },
  before: Decision | null,
): ThinkingStanding {
  const { decisions } = standing.next;
  if (standing.isRefused || !rewrites(moment) || decisions.has(itemKey)) return standing;
  return { ...standing, next: { ...standing.next, decisions: new Map(decisions).set(itemKey, before) } };
}

type ThinkingEntry = Extract<LedgerEntry, { type: "thinking-stripped" | "thinking-restored" | "thinking-dropped" }>;

/** Continues with what the ledger says of thinking itself. */
export function withThinking(standing: ThinkingStanding, entry: ThinkingEntry): ThinkingStanding {
  const { next, isRefused } = standing;
  const stripped = new Map(standing.stripped);
  switch (entry.type) {
    case "thinking-stripped": {
      const { itemKeys, turn, step } = entry;
      for (const key of itemKeys) stripped.set(key, { turn, step });
      const changes = isRefused ? next : { ...next, stripped: [...next.stripped, ...itemKeys] };
      return { ...standing, stripped, next: changes };
    }
    case "thinking-restored":
      for (const key of entry.itemKeys) stripped.delete(key);
      return { ...standing, stripped };
    case "thinking-dropped":
      return {
        ...standing,
        isDropping: entry.isOn,
        next: { ...next, startsDropping: next.startsDropping || (entry.isOn && !isRefused && !standing.isDropping) },
      };
  }
}

/** A request went out. Where the model spoke since an earlier one, that one was answered, whoever saw it. */
export function withSent(standing: ThinkingStanding, requestId: string, step: number): ThinkingStanding {
  const { next, unanswered } = standing;
  if (unanswered.length === 0 && !hasChanges(next)) return standing;
  const open = unanswered.filter((one) => one.step >= step);
  const all = [...open, { ...next, requestId, step }].slice(-UNANSWERED_MAX);
  return { ...standing, unanswered: all.some(hasChanges) ? all : [], next: NO_CHANGES };
}

/** A request was answered: what it carried holds, and what earlier ones did. */
export function withAnswered(standing: ThinkingStanding, requestId: string): ThinkingStanding {
  const place = standing.unanswered.findIndex((one) => one.requestId === requestId);
  if (place === -1) return standing;
  const open = standing.unanswered.slice(place + 1);
  return { ...standing, unanswered: open.some(hasChanges) ? open : [] };
}

/** The provider refused thinking: nothing of what was sent before changes any more. */
export function withRefused(standing: ThinkingStanding): ThinkingStanding {
  return { ...standing, isRefused: true, unanswered: [], next: NO_CHANGES };
}

/** What goes back to the form of the last request that was answered, in front of the refusal's own record. */
export function takenBack({ unanswered, next }: ThinkingStanding, clock: Clock): readonly LedgerEntry[] {
  const changes = [...unanswered, next];
  const decisions = new Map<ItemKey, Decision | null>();
  for (const [key, before] of changes.flatMap((one) => Array.from(one.decisions))) {
    if (!decisions.has(key)) decisions.set(key, before);
  }
  const itemKeys = changes.flatMap(({ stripped }) => stripped);
  return [
    ...Array.from(decisions, ([itemKey, before]): LedgerEntry => {
      if (before !== null) return { type: "item-released", decision: before };
      const restoration = { itemKey, address: addressOf(itemKey), moment: "prefix-broken", ...clock } as const;
      return { type: "item-restored", restoration };
    }),
    ...(itemKeys.length === 0 ? [] : [{ type: "thinking-restored", itemKeys } as const]),
    ...(changes.some(({ startsDropping }) => startsDropping)
      ? [{ type: "thinking-dropped", isOn: false, ...clock } as const]
      : []),
  ];
}

function hasChanges({ decisions, stripped, startsDropping }: Changes): boolean {
  return decisions.size > 0 || stripped.length > 0 || startsDropping;
}
