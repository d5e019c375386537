import { blockCounts } from "../engine/block-counts.ts";
import { chainOf } from "../engine/chain.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { ItemKey } from "../model/item.ts";
import type { WireSource } from "../model/ports.ts";
import { cacheRequestOf } from "./cache-request.ts";
import type { KeeperRequest, Prepared } from "./contract.ts";
import { type Draft, type DraftInput, draftRequest } from "./draft.ts";
import { wordsOf } from "./error-words.ts";
import { type Expanded, expand, isWithoutAnswers, nameOf } from "./expand.ts";
import { type Expansion, roundCallsOf, unexpanded } from "./expansion.ts";
import { fallbackFor } from "./fallback.ts";
import { forward, untouched } from "./forward.ts";
import type { Workshop } from "./keeper.ts";
import type { PlaceInput } from "./lineage.ts";
import type { Placement } from "./lineages.ts";
import type { Checked } from "./self-check-draft.ts";
import { settleDraft } from "./settle.ts";
import type { Unkept } from "./settle-originals.ts";
import { type Understood, understand } from "./understand.ts";
import { noteUnknownModel } from "./unknown-models.ts";

/** How far a request came before something failed; what the fallback can stand on. */
export interface Progress {
  /** As far as it was expanded. */
  request: KeeperRequest;
  source: WireSource | null;
  expansion: Expansion | null;
  understood: Understood | null;
  placement: Placement | null;
  /** The draft that was being recorded. */
  draft: Draft | null;
}

const ATTEMPTS_MAX = 4;

/** The one catch: whatever fails on the way, a valid form goes out or a clear refusal. */
export function prepare(request: KeeperRequest, workshop: Workshop): Promise<Prepared> {
  return caught(request, workshop, (progress) => prepareReceived(request, workshop, progress));
}

/** The same for a later round of a message, which no client sent: what it is expanded by is known. */
export function prepareRound(request: KeeperRequest, expansion: Expansion, workshop: Workshop): Promise<Prepared> {
  return caught(request, workshop, (progress) => prepareNext(request, expansion, workshop, progress));
}

async function caught(
  request: KeeperRequest,
  workshop: Workshop,
  act: (progress: Progress) => Promise<Prepared>,
): Promise<Prepared> {
  workshop.accounting.noteRequest(request.route.kind);
  const nothing = { source: null, expansion: null, understood: null, placement: null, draft: null };
  const progress: Progress = { request, ...nothing };
  try {
    await workshop.aftermath.whenRoomy();
    return await act(progress);
  } catch (error) {
    const code = error instanceof EbbError ? error.code : "internal";
    const words = wordsOf(error);
    workshop.accounting.noteError(request.atMs, code, words);
    workshop.settings.onError(code, words);
    return workshop.lock.run(() => checkedFallback(progress, workshop, words));
  }
}

async function prepareReceived(given: KeeperRequest, workshop: Workshop, progress: Progress): Promise<Prepared> {
  const read = given.wire.read(given.body, workshop.wireMemo, given.route);
  if (!read.ok) {
    workshop.accounting.noteUnread(read.words);
    return untouched(given, read.words);
  }
  const { source } = read;
  if (given.route.kind === "generate") {
    noteUnknownModel(source.transcript.header.model, given.provider, workshop.accounting, workshop.settings);
  }
  const request = withSession(given, source);
  if (isWithoutAnswers(source)) noteExpanded({ request, source, expansion: unexpanded(request) }, progress);
  return prepareExpanded(await expand(request, source, workshop), workshop, progress);
}

async function prepareNext(
  request: KeeperRequest,
  expansion: Expansion,
  workshop: Workshop,
  progress: Progress,
): Promise<Prepared> {
  const read = request.wire.read(request.body, workshop.wireMemo, request.route);
  if (!read.ok) throw new Error("a round that was appended cannot be read");
  const { source } = read;
  const chain = chainOf(source.transcript, workshop.recentChains.get(nameOf(request, source)) ?? null);
  return prepareExpanded({ request, source, chain, expansion }, workshop, progress);
}

function prepareExpanded(expanded: Expanded, workshop: Workshop, progress: Progress): Promise<Prepared> {
  const { request, source, chain, expansion } = expanded;
  noteExpanded(expanded, progress);
  workshop.recentChains.set(nameOf(request, source), chain);
  const understood = understand(
    { source, chain, userAgent: request.userAgent, roundCalls: roundCallsOf(expansion) },
    { ...workshop.settings, memo: workshop.observationMemo },
  );
  progress.understood = understood;
  return workshop.lock.run(() => settleRequest(expanded, understood, workshop, progress));
}

function noteExpanded({ request, source, expansion }: Omit<Expanded, "chain">, progress: Progress): void {
  progress.request = request;
  progress.source = source;
  progress.expansion = expansion;
}

/** A session the body names counts where the headers name none. */
function withSession(request: KeeperRequest, source: WireSource): KeeperRequest {
  if (request.hints.sessionId !== null || source.sessionId === null) return request;
  return { ...request, hints: { ...request.hints, sessionId: source.sessionId } };
}

async function settleRequest(
  { request, source, expansion }: Expanded,
  understood: Understood,
  workshop: Workshop,
  progress: Progress,
): Promise<Prepared> {
  const { settings, lineages } = workshop;
  const refused = new Set<ItemKey>();
  const counts = blockCounts(source.transcript, request.provider.modelFacts(source.transcript.header.model));
  const requestId = settings.newId();
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const placement = await lineages.place(placeInputOf(request, source, understood, counts));
    progress.placement = placement;
    const own = { refused, blockCounts: counts, requestId };
    const input: DraftInput = { request, source, expansion, understood, placement, ...own };
    const { draft, faults } = soundForm(input, await draftRequest(input, workshop), workshop);
    if (draft === null) return refusal(faults, workshop);
    progress.draft = draft;
    const { keys } = await keepOriginals(input, draft, workshop);
    for (const key of keys) refused.add(key);
    if (keys.length > 0) continue;
    if (request.route.kind === "count") return forward(input, draft, draft.slices, null, workshop);
    const settled = await settleDraft(input, draft, requestId, settings);
    progress.draft = null;
    if (settled.kind === "recorded") {
      note(input, draft, settled.acquired, workshop);
      const judge = settled.expected === null ? null : workshop.feedback.expect(input, draft, settled.expected);
      const cleared = draft.clearing.carried ?? draft.cleared;
      return forward(input, draft, draft.slices, { requestId, judge, carried: draft.carried, cleared }, workshop);
    }
    progress.placement = null;
    lineages.forget(placement.lineage.id);
  }
  throw new EbbError("store_locked", "other writers changed the lineage faster than it could be read");
}

/** What tells where the request continues. */
export function placeInputOf(
  request: KeeperRequest,
  source: WireSource,
  understood: Understood,
  counts: readonly number[],
): PlaceInput {
  return {
    hints: request.hints,
    chain: understood.chain,
    observations: understood.observations,
    ...cacheRequestOf(source, counts, request.provider.modelFacts(source.transcript.header.model)),
    atMs: request.atMs,
  };
}

/** True for a conversation with tools, which a side request of its client has not. */
export function hasResults(source: WireSource): boolean {
  return source.transcript.items.some((item) => item.kind === "result");
}

/** The draft if it keeps the laws, or the last valid form that does. */
function soundForm(input: DraftInput, drafted: Draft, workshop: Workshop): Checked {
  const checked = workshop.selfCheck.lastSound(input, drafted);
  noteViolations(checked.faults, input.request, workshop);
  const { draft, faults } = checked;
  if (draft !== null && faults.length > 0) {
    workshop.accounting.noteFallback(draft.standing.length > 0 ? "script_only" : "original");
  }
  return checked;
}

/** New markers wait until their originals were read back; those sent before leave in any case. */
async function keepOriginals(input: DraftInput, draft: Draft, workshop: Workshop): Promise<Unkept> {
  const { originals, settings } = workshop;
  const sent = await originals.keepSent(input, draft.standing);
  const leaving = settings.mode === "enforce" ? [...draft.fresh, ...draft.clearing.fresh] : [];
  const kept = await originals.keep(input, leaving);
  noteViolations([...sent.faults, ...kept.faults], input.request, workshop);
  return kept;
}

/** What goes out when something failed keeps the laws as well, or does not go out. Never rejects. */
async function checkedFallback(progress: Progress, workshop: Workshop, words: string): Promise<Prepared> {
  const { prepared, edits } = await fallbackFor(progress, workshop, words);
  const { request, source } = progress;
  if (prepared.kind === "refuse" || source === null) return prepared;
  const fault = workshop.selfCheck.faultIn({ request, source }, prepared.body, edits);
  if (fault === null) return prepared;
  noteViolations([fault], request, workshop);
  return refusal([fault], workshop);
}

function refusal(faults: readonly string[], { accounting }: Workshop): Prepared {
  accounting.noteFallback("refused");
  return { kind: "refuse", words: `Ebb found no form of this request that it may send: ${faults.join("; ")}` };
}

function noteViolations(faults: readonly string[], request: KeeperRequest, { accounting, settings }: Workshop): void {
  for (const fault of faults) {
    accounting.noteViolation();
    accounting.noteError(request.atMs, "law_violation", fault);
    settings.onError("law_violation", fault);
  }
}

function note(input: DraftInput, draft: Draft, acquired: number, workshop: Workshop): void {
  const { lineage } = input.placement;
  const { accounting, settings } = workshop;
  accounting.noteAcquired(acquired);
  accounting.noteMarkerWrites(draft.markerWrites);
  accounting.noteDecisions(draft.fresh, settings.mode === "enforce");
  accounting.noteDeclines(lineage.id, draft.declines);
  if (input.expansion.offer?.isNew === true) accounting.noteOffered();
  if (settings.mode !== "off") workshop.board.noteWaiting(input, draft, workshop.tokens);
  accounting.noteRegrets(draft.regrets, draft.standing);
  workshop.selfCheck.noteSent(lineage, draft);
  workshop.lineages.noteSent(lineage, hasResults(input.source));
  workshop.aftermath.enqueue(input, draft, accounting);
}
