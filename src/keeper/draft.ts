import { entriesWithin, liveEntries } from "../engine/cache-entries.ts";
import { cacheLifetimeOf } from "../engine/cache-lifetime.ts";
import { isTrusted } from "../engine/confidence.ts";
import { isCold } from "../engine/moment.ts";
import { pinnedEdits, standingWith } from "../engine/pinned.ts";
import { NO_PLAN, planRequest } from "../engine/plan.ts";
import { isReplacing, scriptOf } from "../engine/script.ts";
import type { CarriedClear } from "../engine/server-clear.ts";
import type { LineageStanding } from "../engine/standing.ts";
import { type ViewInput, viewOf } from "../engine/view.ts";
import type { ModelFacts } from "../model/cache.ts";
import type { Decision, Decline, Restoration } from "../model/decision.ts";
import type { Script } from "../model/edit.ts";
import type { ItemKey } from "../model/item.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { ReadMemo, Wire, WireSource } from "../model/ports.ts";
import type { Regret } from "../model/regret.ts";
import type { Clock } from "../model/transcript.ts";
import type { CacheView, View } from "../model/view.ts";
import { carriedIn, deletableResults, NOTHING_TAKEN, takeDeletions } from "./cache-edits.ts";
import type { KeeperRequest } from "./contract.ts";
import type { Expansion } from "./expansion.ts";
import { countMarkerWrites, findEchoes } from "./incoming-markers.ts";
import type { Workshop } from "./keeper.ts";
import type { Placement } from "./lineages.ts";
import { findLostReads } from "./lost-reads.ts";
import { isExempt } from "./never-stored.ts";
import { lookOnly } from "./read-memo.ts";
import { readOriginal } from "./read-original.ts";
import { findRegrets } from "./regrets.ts";
import { checkWritten } from "./self-check.ts";
import { clearedIn, type NewClearing, NOTHING_CLEARED, newClearing } from "./server-clear.ts";
import { repeatedThinking } from "./signed-thinking.ts";
import type { Understood } from "./understand.ts";
import { hasUnseenAnswers } from "./unseen.ts";

/** What a request would do, before anything is recorded. */
export interface Draft {
  readonly view: View;
  readonly clock: Clock;
  /** Decisions sent before whose item this request holds. */
  readonly standing: readonly Decision[];
  /** New decisions; in `observe` they are only counted. */
  readonly fresh: readonly Decision[];
  /** Items that stand in full again. */
  readonly restored: readonly Restoration[];
  /** Edits beside these decisions that earlier requests pinned. */
  readonly pinned: Script;
  /** New edits of this request beside its decisions. */
  readonly extras: Script;
  /** Requests that took the deletions which this one asks for; its own among them. */
  readonly carried: readonly string[];
  /** What the ledger must hold of new deletions before they leave. */
  readonly editEntries: readonly LedgerEntry[];
  /** What the request repeats of the provider's own clearing. */
  readonly cleared: CarriedClear | null;
  /** What it newly asks of it. */
  readonly clearing: NewClearing;
  readonly declines: readonly Decline[];
  readonly slices: readonly Uint8Array[];
  /** The body without the new decisions. */
  readonly slicesBefore: readonly Uint8Array[];
  /** Why the new decisions were dropped by Ebb's own check; null when they were not. */
  readonly violation: string | null;
  /** New calls that would write a marker into a file. */
  readonly markerWrites: number;
  /** Releases sent before that this request shows to have been missed. */
  readonly regrets: readonly Regret[];
}

export interface DraftInput {
  readonly request: KeeperRequest;
  readonly source: WireSource;
  readonly understood: Understood;
  readonly placement: Placement;
  /** Items whose originals the store did not take for this request. */
  readonly refused: ReadonlySet<ItemKey>;
  /** Blocks of the messages up to and including each item, as the model has them before it. */
  readonly blockCounts: readonly number[];
  /** The name of the request in the ledger. */
  readonly requestId: string;
  /** What was put into the body that came. */
  readonly expansion: Expansion;
}

/** The parts of a keeper that drafting uses. */
export type DraftDesk = Pick<
  Workshop,
  "settings" | "lineages" | "aftermath" | "tokens" | "renderer" | "wireMemo" | "lineIndexes"
>;

/** Plans one request in its lineage and writes the body it would send. */
export async function draftRequest(input: DraftInput, workshop: DraftDesk): Promise<Draft> {
  const { settings, wireMemo } = workshop;
  const carried = carriedIn(input);
  const repeated = { blocks: carried, clear: clearedIn(input) };
  const ledger = standingWith(input.placement.lineage.standing, repeated);
  const standing = standingDecisions(input, ledger);
  const pinned = takenBy(input.request.wire, [...pinnedEdits(repeated, ledger), ...repeatedThinking(input, ledger)]);
  const regrets = findRegrets(input, standing, workshop.lineIndexes);
  const echoes = await findEchoes(input, settings.store);
  const viewInput = { ...viewInputOf(input, ledger, workshop), echoes, regrets };
  const view = await viewWithLostReads(input, viewInput, workshop);
  const plan = settings.mode === "off" ? NO_PLAN : planRequest(view, { ...settings, renderer: workshop.renderer });
  const isActing = settings.mode === "enforce";
  const taken = isActing ? takeDeletions(input, view, plan.deletions) : NOTHING_TAKEN;
  const clearing = isActing ? newClearing(input, view, plan, settings) : NOTHING_CLEARED;
  const changes = {
    fresh: isActing ? plan.decisions : [],
    restored: isActing ? plan.restorations : [],
    extras: isActing
      ? [...(plan.breakpoint === null ? [] : [plan.breakpoint]), ...taken.script, ...plan.thinking, ...clearing.script]
      : [],
  };
  const written = writeChecked(input, { standing, pinned }, changes, lookOnly(wireMemo));
  const isSound = written.violation === null;
  return {
    view,
    clock: viewInput.clock,
    standing,
    pinned,
    declines: plan.declines,
    regrets,
    markerWrites: await countMarkerWrites(input, settings.store),
    ...written,
    fresh: isSound ? plan.decisions : [],
    restored: isSound ? changes.restored : [],
    extras: isSound ? changes.extras : [],
    carried: [...carried.map(({ requestId }) => requestId), input.requestId],
    editEntries: isSound ? [...taken.entries, ...clearing.entries] : [],
    cleared: repeated.clear,
    clearing: isSound ? clearing : NOTHING_CLEARED,
  };
}

/** The edits that a format can take: a conversation may go on in another one than it began in. */
export function takenBy({ takes }: Wire, edits: Script): Script {
  return edits.every(({ kind }) => takes.has(kind)) ? edits : edits.filter(({ kind }) => takes.has(kind));
}

/** A draft as it leaves where nothing of it may be new. */
export function withoutNew(draft: Draft): Draft {
  return { ...draft, fresh: [], restored: [], extras: [], editEntries: [], clearing: NOTHING_CLEARED };
}

/** The decisions in force once the new ones act: the last one of each item, without the items put back. */
export function inForceAfter(
  standing: readonly Decision[],
  { fresh, restored }: Pick<Draft, "fresh" | "restored">,
): readonly Decision[] {
  if (fresh.length + restored.length === 0) return standing;
  const changed = new Set([...fresh, ...restored].map(({ itemKey }) => itemKey));
  return [...standing.filter(({ itemKey }) => !changed.has(itemKey)), ...fresh];
}

function viewInputOf(input: DraftInput, standing: LineageStanding, { settings, tokens }: DraftDesk): ViewInput {
  const { source, understood, placement, request } = input;
  const { unstorable } = placement.lineage;
  const isAllSeen = !hasUnseenAnswers(input) && isTrusted(standing.confidence);
  const model = request.provider.modelFacts(source.transcript.header.model);
  const { cachedCount } = placement;
  const cache = cacheViewOf(input, isAllSeen, model);
  return {
    source,
    observations: understood.observations,
    reads: understood.reads,
    chainKeys: understood.chain.keys,
    sentCount: placement.sentCount,
    standing,
    clock: {
      turn: standing.turnsBefore + understood.observations.turns,
      step: standing.stepsBefore + understood.observations.steps,
    },
    model,
    channel: understood.channel,
    isCold: isCold(placement.warmUntilMs, request.atMs) && isAllSeen,
    cachedCount: isAllSeen && mayBreak(source, model) ? cachedCount : null,
    cache,
    deletable: deletableResults(input, model, cache),
    known: placement.known.standing.acquired,
    bodyBytes: request.body.length,
    lostReads: new Map(),
    echoes: new Map(),
    regrets: [],
    rules: settings.lifetimeRules,
    boundThinking: settings.boundThinking,
    takes: request.wire.takes,
    isUnstorable: (key, placed) =>
      unstorable.has(key) ||
      input.refused.has(key) ||
      (placed !== undefined && isExempt(placed, settings.isNeverStored)),
    tokensOf: (item) => tokens.tokensOf(item, source),
    exceedsTokens: (item, count) => tokens.exceeds(item, count, source),
  };
}

/** Where not all is known that may be held, everything sent before counts as held. */
function cacheViewOf(input: DraftInput, isAllSeen: boolean, facts: ModelFacts): CacheView {
  const { source, placement, request, blockCounts } = input;
  const { sentCount, warmUntilMs, lineage, cachedCount } = placement;
  const { transcript } = source;
  const { model, cacheKey } = transcript.header;
  const { atMs } = request;
  const isKnown = isAllSeen && mayBreak(source, facts) && cachedCount !== null;
  const isGone = isAllSeen && isCold(warmUntilMs, atMs);
  const heldCount = isKnown ? Math.min(cachedCount, sentCount) : sentCount;
  const live = liveEntries(lineage.standing.entries, { model, cacheKey }, atMs);
  const entries = entriesWithin(live, blockCounts);
  const { counted } = lineage.standing.entries;
  return { atMs, heldCount: isGone ? 0 : heldCount, isKnown, entries, counted, blockCounts };
}

/**
 * Nothing is known to be written again without a lifetime on record. A request without tools is one beside the conversation (a
 * title, a summary): the conversation goes on where it was, and what would leave here would break its cache there.
 */
function mayBreak({ transcript: { header } }: WireSource, facts: ModelFacts): boolean {
  return cacheLifetimeOf(header, facts) !== null && header.toolNames.length > 0;
}

async function viewWithLostReads(
  input: DraftInput,
  viewInput: ViewInput,
  { settings, lineages, aftermath }: DraftDesk,
): Promise<View> {
  const view = viewOf(viewInput);
  const { lineage } = input.placement;
  const { tenant } = lineage;
  const lostReads = await findLostReads(
    view,
    input.understood.reads,
    lineage,
    (digest) => readOriginal({ tenant, digest }, settings.store, aftermath.whenIdle),
    (id) => lineages.load(tenant, id),
  );
  return lostReads.size === 0 ? view : viewOf({ ...viewInput, lostReads });
}

function standingDecisions(input: DraftInput, { decisions }: LineageStanding): readonly Decision[] {
  if (decisions.size === 0) return [];
  return input.source.transcript.items.flatMap((item) => decisions.get(item.key) ?? []);
}

function writeChecked(
  { request, source }: DraftInput,
  { standing, pinned }: Pick<Draft, "standing" | "pinned">,
  changes: Pick<Draft, "fresh" | "restored" | "extras">,
  memo: ReadMemo,
): Pick<Draft, "slices" | "slicesBefore" | "violation"> {
  const slicesBefore = request.wire.write(request.body, source, [...scriptOf(standing), ...pinned]);
  if (changes.fresh.length + changes.restored.length + changes.extras.length === 0)
    return { slices: slicesBefore, slicesBefore, violation: null };
  const inForce = inForceAfter(standing, changes);
  const slices = request.wire.write(request.body, source, [...scriptOf(inForce), ...pinned, ...changes.extras]);
  const markers = inForce.filter(isReplacing);
  const { wire, route } = request;
  const violation = checkWritten({ wire, route, slices, before: source, memo }, markers, [
    ...pinned,
    ...changes.extras,
  ]);
  return violation === null ? { slices, slicesBefore, violation } : { slices: slicesBefore, slicesBefore, violation };
}
