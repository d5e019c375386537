import type { Plan } from "../engine/plan.ts";
import { type CarriedClear, carriedClear } from "../engine/server-clear.ts";
import { clearAnswerOf, entriesOfAnswer } from "../engine/server-clear-answer.ts";
import { clearedNote, noteAnchorOf } from "../engine/server-clear-note.ts";
import { type ClearPlan, planServerClear } from "../engine/server-clear-plan.ts";
import type { LineageStanding } from "../engine/standing.ts";
import type { Decision } from "../model/decision.ts";
import type { Script } from "../model/edit.ts";
import type { ItemKey } from "../model/item.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { ResponseFacts } from "../model/usage.ts";
import type { View } from "../model/view.ts";
import type { DraftInput } from "./draft.ts";
import type { KeeperSettings } from "./settings.ts";

/** What one request newly asks the provider to clear, or tells of what it cleared, and what the ledger must hold of it. */
export interface NewClearing {
  /** What the request asks for, old and new; null where nothing new is asked. */
  readonly carried: CarriedClear | null;
  /** Results that were not asked for before: their originals are durable before the request leaves. */
  readonly fresh: readonly Decision[];
  /** What stands behind them in the provider's cache is written again. */
  readonly isPriced: boolean;
  readonly script: Script;
  readonly entries: readonly LedgerEntry[];
}

type ClearInput = Pick<DraftInput, "source" | "placement" | "request">;

/** Nothing new. */
export const NOTHING_CLEARED: NewClearing = { carried: null, fresh: [], isPriced: false, script: [], entries: [] };

/** The clearing of earlier requests as this one repeats it; null where there is none, or the client asks for its own. */
export function clearedIn({ source, placement, request }: ClearInput): CarriedClear | null {
  if (!request.wire.takes.has("server-clear")) return null;
  return carriedClear(placement.lineage.standing.serverClear, source.transcript);
}

/** Asks for what is worth it now; tells of what a response said to have left; ends it where the request can carry nothing of it. */
export function newClearing(
  input: ClearInput,
  view: View,
  plan: Plan,
  settings: Pick<KeeperSettings, "serverClear" | "gates" | "paying">,
): NewClearing {
  const { source, placement, request } = input;
  const { takes } = request.wire;
  const { standing } = placement.lineage;
  const { serverClear } = standing;
  if (serverClear.asked !== null && clearedIn(input) === null) {
    const end = source.transcript.header.hasServerClear ? "client" : "out of place";
    return { ...NOTHING_CLEARED, entries: entriesOfAnswer({ left: [], end }, clearedOf(standing)) };
  }
  const mayAsk = settings.serverClear && takes.has("server-clear");
  const asked = mayAsk ? planServerClear(view, serverClear, otherOf(plan), settings) : null;
  const asking = asked === null ? NOTHING_CLEARED : askingFor(asked, plan, source.transcript);
  const note = takes.has("note") ? noteFor(standing, view) : null;
  if (note === null) return asking;
  const { anchorKey, text } = note;
  return {
    ...asking,
    script: [...asking.script, { kind: "note", anchorKey, text }],
    entries: [...asking.entries, { type: "note-pinned", note }],
  };
}

/** What a response tells of the clearing its request carried: the entries for the ledger, what left, and words where it ended. */
export function answeredClearing(
  carried: CarriedClear | null,
  standing: LineageStanding,
  response: ResponseFacts,
  status: number,
): { readonly left: readonly Decision[]; readonly entries: readonly LedgerEntry[]; readonly words: string | null } {
  const { asked } = standing.serverClear;
  if (carried === null || asked === null) return { left: [], entries: [], words: null };
  const known = clearedOf(standing);
  const keys = new Set(known.map(({ itemKey }) => itemKey));
  const wished = new Set(asked.leaving.map(({ itemKey }) => itemKey));
  const answer = clearAnswerOf(carried, response, status, ({ itemKey }) => keys.has(itemKey));
  const left = answer.left.filter(({ itemKey }) => wished.has(itemKey));
  const entries = entriesOfAnswer({ ...answer, left }, known);
  const words = answer.end === null ? null : WORDS[answer.end];
  return { left, entries, words };
}

/** Items that go out in another form than before because of it. */
export function changedByClearing(
  { fresh, entries }: NewClearing,
  { serverClear }: LineageStanding,
): readonly ItemKey[] {
  const ended = entries.flatMap((entry) => (entry.type === "item-restored" ? [entry.restoration.itemKey] : []));
  return [...fresh.map(({ itemKey }) => itemKey), ...ended, ...serverClear.returning];
}

const WORDS = {
  planned: null,
  inherited: null,
  "out of place": null,
  client: "the client asks the provider for its own context editing",
  refused: "the provider refused a request with context editing: it is not asked for again in this conversation",
  "not applied": "the provider did not clear what it was asked to: it is not asked again in this conversation",
  "not told": "the provider does not tell what it cleared: it is not asked again in this conversation",
} as const;

/** What the provider's own clearing took out, as far as it told. */
function clearedOf({ decisions, serverClear }: LineageStanding): readonly Decision[] {
  if (serverClear.asked === null) return [];
  return Array.from(decisions.values()).filter(({ moment }) => moment === "server-clear");
}

function noteFor(standing: LineageStanding, view: View): ReturnType<typeof clearedNote> | null {
  if (view.channel.kind === "none") return null;
  const told = new Set(standing.serverClear.notes.flatMap(({ itemKeys }) => itemKeys));
  const untold = clearedOf(standing).filter(({ itemKey }) => !told.has(itemKey) && view.itemOf(itemKey) !== null);
  const anchorKey = untold.length === 0 ? null : noteAnchorOf(view);
  return anchorKey === null ? null : clearedNote(untold, anchorKey, view);
}

function otherOf({ decisions, restorations, breakpoint, unsettled }: Plan) {
  const changed = new Set([...decisions, ...restorations].map(({ itemKey }) => itemKey));
  return { unsettled, changed, breakpoint };
}

function askingFor(asked: ClearPlan, plan: Plan, transcript: DraftInput["source"]["transcript"]): NewClearing {
  const carried = carriedClear({ asked: asked.clearing }, transcript);
  if (carried === null) return NOTHING_CLEARED;
  const breakpoint = plan.breakpoint === null && asked.breakpoint !== null ? [asked.breakpoint] : [];
  return {
    carried,
    fresh: asked.fresh,
    isPriced: asked.isPriced,
    script: [...breakpoint, carried.edit],
    entries: [{ type: "server-clear-set", clearing: asked.clearing, why: "planned" }],
  };
}
