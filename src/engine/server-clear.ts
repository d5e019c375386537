import type { Decision } from "../model/decision.ts";
import type { Edit, Script } from "../model/edit.ts";
import type { ItemKey } from "../model/item.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { ClearReason, PinnedNote, ServerClearing } from "../model/server-clear.ts";
import type { Transcript } from "../model/transcript.ts";
import { inheritedDecisions } from "./script.ts";
import { toolUsesOf } from "./tool-uses.ts";

/** What the provider clears by itself in one lineage because Ebb asked it to. */
export interface ServerClears {
  readonly asked: ServerClearing | null;
  /** Why nothing is asked in this lineage any more; null where something may be. */
  readonly off: ClearReason | null;
  /** Texts that tell what left. */
  readonly notes: readonly PinnedNote[];
  /** Items that had left and stand in full again from the next request on. */
  readonly returning: readonly ItemKey[];
}

/** Nothing was asked. */
export const NO_SERVER_CLEARS: ServerClears = { asked: null, off: null, notes: [], returning: [] };

export type ServerClearEntry = Extract<
  LedgerEntry,
  { type: "server-clear-set" | "note-pinned" | "item-restored" | "request-sent" }
>;

/** Reasons after which the provider is not asked again. */
const FINAL: ReadonlySet<ClearReason> = new Set(["refused", "not applied", "not told"]);

/** Continues with what the ledger says. */
export function foldServerClear(before: ServerClears, entry: ServerClearEntry): ServerClears {
  switch (entry.type) {
    case "server-clear-set":
      return { ...before, asked: entry.clearing, off: FINAL.has(entry.why) ? entry.why : before.off };
    case "note-pinned":
      return { ...before, notes: [...before.notes, entry.note] };
    case "item-restored":
      return { ...before, returning: [...before.returning, entry.restoration.itemKey] };
    case "request-sent":
      return before.returning.length === 0 ? before : { ...before, returning: [] };
  }
}

/** What one request asks the provider to clear, and the results that this covers, oldest first. */
export interface CarriedClear {
  readonly edit: Extract<Edit, { kind: "server-clear" }>;
  readonly leaving: readonly Decision[];
}

/**
 * The clearing as a request carries it: what it was decided for and nothing else, however many tool uses came since. Null where
 * nothing of it is in the request, or the client asks for its own.
 */
export function carriedClear({ asked }: Pick<ServerClears, "asked">, transcript: Transcript): CarriedClear | null {
  if (asked === null || transcript.header.hasServerClear) return null;
  const uses = toolUsesOf(transcript);
  if (uses === null) return null;
  const { triggerTokens, clearTokensMin, exceptTools } = asked;
  const byKey = new Map(asked.leaving.map((decision) => [decision.itemKey, decision]));
  const leaving: Decision[] = [];
  let cut = 0;
  for (const [at, { call, result }] of uses.entries()) {
    if (exceptTools.includes(call.name)) continue;
    const decision = result === null ? undefined : byKey.get(result.key);
    if (decision === undefined) break;
    leaving.push(decision);
    cut = at + 1;
  }
  if (leaving.length === 0) return null;
  const isWhole = leaving.length === asked.leaving.length;
  const keepUses = uses.length - cut;
  const clear = { triggerTokens, keepUses, clearTokensMin: isWhole ? clearTokensMin : null, exceptTools };
  return { edit: { kind: "server-clear", clear }, leaving };
}

/** The notes of a lineage as edits, the same on every request. */
export function noteEdits({ notes }: Pick<ServerClears, "notes">): Script {
  return notes.map(({ anchorKey, text }) => ({ kind: "note" as const, anchorKey, text }));
}

/**
 * What a history begins with that shares items with another: the results it holds and whose proof it holds as well, and notes that
 * still have their place.
 */
export function inheritedServerClear(
  { asked, off, notes }: ServerClears,
  present: ReadonlySet<ItemKey>,
  isProof: (evidenceKey: ItemKey) => boolean,
): readonly LedgerEntry[] {
  const byKey = new Map(asked?.leaving.map((decision) => [decision.itemKey, decision]));
  const leaving = inheritedDecisions(byKey, present, isProof);
  const clearing = asked === null || leaving.length === 0 ? null : { ...asked, leaving };
  return [
    ...(off === null ? [] : [{ type: "server-clear-set", clearing: null, why: off } as const]),
    ...(clearing === null ? [] : [{ type: "server-clear-set", clearing, why: "inherited" } as const]),
    ...notes.filter(({ anchorKey }) => present.has(anchorKey)).map((note) => ({ type: "note-pinned", note }) as const),
  ];
}
