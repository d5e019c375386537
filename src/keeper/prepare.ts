import { blockCounts, placesOf } from "../engine/block-counts.ts";
import { LOOKBACK_BLOCKS } from "../engine/cache-entries.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { ItemLabel } from "../model/decision.ts";
import type { ItemKey } from "../model/item.ts";
import type { Provider, WireSource } from "../model/ports.ts";
import type { AcquiredItem, KeeperRequest, Prepared } from "./contract.ts";
import { type Draft, type DraftInput, draftRequest, inForceAfter } from "./draft.ts";
import { wordsOf } from "./error-words.ts";
import { fallbackFor } from "./fallback.ts";
import { createFinish, type SentRequest } from "./finish.ts";
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
  source: WireSource | null;
  understood: Understood | null;
  placement: Placement | null;
  /** The draft that was being recorded. */
  draft: Draft | null;
}

const ATTEMPTS_MAX = 4;

/** The one catch: whatever fails on the way, a valid form goes out or a clear refusal. */
export async function prepare(request: KeeperRequest, workshop: Workshop): Promise<Prepared> {
  workshop.accounting.noteRequest(request.route.kind);
  const progress: Progress = { source: null, understood: null, placement: null, draft: null };
  try {
    return await prepareRequest(request, workshop, progress);
  } catch (error) {
    const code = error instanceof EbbError ? error.code : "internal";
    const words = wordsOf(error);
    workshop.accounting.noteError(request.atMs, code, words);
    workshop.settings.onError(code, words);
    return workshop.lock.run(() => checkedFallback(request, progress, workshop, words));
  }
}

async function prepareRequest(request: KeeperRequest, workshop: Workshop, progress: Progress): Promise<Prepared> {
  await workshop.aftermath.whenRoomy();
  const read = request.wire.read(request.body, workshop.wireMemo);
  if (!read.ok) {
    workshop.accounting.noteUnread(read.words);
    return untouched(request, read.words);
  }
  progress.source = read.source;
  if (request.route.kind === "generate") {
    noteUnknownModel(read.source.transcript.header.model, workshop.accounting, workshop.settings);
  }
  const named = withSession(request, read.source);
  const { tenant, sessionId, agentId } = named.hints;
  const opening = read.source.transcript.items[0]?.key ?? null;
  const chainName = JSON.stringify([tenant, sessionId, agentId, opening]);
  const understood = understand(read.source, request.userAgent, workshop.recentChains.get(chainName) ?? null, {
    ...workshop.settings,
    memo: workshop.observationMemo,
  });
  workshop.recentChains.set(chainName, understood.chain);
  progress.understood = understood;
  return workshop.lock.run(() => settleRequest(named, read.source, understood, workshop, progress));
}

/** A session the body names counts where the headers name none. */
export function withSession(request: KeeperRequest, source: WireSource): KeeperRequest {
  if (request.hints.sessionId !== null || source.sessionId === null) return request;
  return { ...request, hints: { ...request.hints, sessionId: source.sessionId } };
}

async function settleRequest(
  request: KeeperRequest,
  source: WireSource,
  understood: Understood,
  workshop: Workshop,
  progress: Progress,
): Promise<Prepared> {
  const { settings, lineages } = workshop;
  const refused = new Set<ItemKey>();
  const counts = blockCounts(source.transcript, settings.provider.modelFacts(source.transcript.header.model));
  const requestId = settings.newId();
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const placement = await lineages.place(placeInputOf(request, source, understood, counts, settings.provider));
    progress.placement = placement;
    const input: DraftInput = { request, source, understood, placement, refused, blockCounts: counts, requestId };
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
  provider: Pick<Provider, "modelFacts">,
): PlaceInput {
  const { header, breakpoints } = source.transcript;
  const { model, cacheKey } = header;
  const { cache } = provider.modelFacts(model);
  // What is on record of earlier requests tells only how far this lookback reaches.
  const hasBreakpoints = cache.kind === "breakpoints" && cache.lookbackBlocks === LOOKBACK_BLOCKS;
  return {
    hints: request.hints,
    chain: understood.chain,
    observations: understood.observations,
    cache: { model, cacheKey },
    breakpoints: hasBreakpoints ? { places: placesOf(breakpoints, counts), blockCounts: counts } : null,
    atMs: request.atMs,
  };
}

/** True for a conversation with tools, which a side request of its client has not. */
export function hasResults(source: WireSource): boolean {
  return source.transcript.items.some((item) => item.kind === "result");
}

/** False where the body leaves as it came. */
export function isEdited(slices: readonly Uint8Array[], body: Uint8Array): boolean {
  return slices.length !== 1 || slices[0] !== body;
}

/** Sends the body as it came. */
function untouched(request: KeeperRequest, problem: string): Prepared {
  return {
    kind: "forward",
    body: [request.body],
    isEdited: false,
    headers: [],
    plan: null,
    problem,
    inline: null,
    finish: async () => undefined,
  };
}

function labelByKey(draft: Draft, key: ItemKey): ItemLabel {
  const item = draft.view.itemOf(key);
  if (item === null) return { tool: null, path: null, lineStart: null, lineEnd: null, command: null };
  return draft.view.labelOf(item);
}

function acquiredByKey({ placement }: DraftInput, { view }: Draft, key: ItemKey): AcquiredItem | null {
  const clock = placement.lineage.standing.acquired.get(key);
  const item = view.itemOf(key);
  if (clock === undefined || item === null) return null;
  return { kind: view.kindOf(item), turn: clock.turn, step: clock.step };
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
async function checkedFallback(
  request: KeeperRequest,
  progress: Progress,
  workshop: Workshop,
  words: string,
): Promise<Prepared> {
  const { prepared, edits } = await fallbackFor(request, progress, workshop, words);
  const { source } = progress;
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
  if (settings.mode !== "off") workshop.board.noteWaiting(input, draft, workshop.tokens);
  accounting.noteDeclines(lineage.id, draft.declines);
  accounting.noteRegrets(draft.regrets, draft.standing);
  workshop.selfCheck.noteSent(lineage, draft);
  workshop.lineages.noteSent(lineage, hasResults(input.source));
  workshop.aftermath.enqueue(input, draft, accounting);
}

/** A draft on its way to the provider, in the slices it settled on. */
export function forward(
  input: DraftInput,
  draft: Draft,
  slices: readonly Uint8Array[],
  sent: SentRequest | null,
  workshop: Workshop,
): Prepared {
  const acting = workshop.settings.mode === "enforce" ? draft.fresh : [];
  return {
    kind: "forward",
    body: slices,
    isEdited: isEdited(slices, input.request.body),
    headers: input.request.wire.headersFor([...draft.pinned, ...draft.extras]),
    plan: {
      lineage: input.placement.lineage.id,
      transcript: input.source.transcript,
      inForce: inForceAfter(draft.standing, { fresh: acting, restored: draft.restored }),
      fresh: draft.fresh,
      edits: [...draft.pinned, ...draft.extras],
      declines: draft.declines,
      turn: draft.clock.turn,
      step: draft.clock.step,
      sentItems: input.placement.sentCount,
      tokensOf: (item) => workshop.tokens.tokensOf(item, input.source),
      labelOf: (key) => labelByKey(draft, key),
      acquiredOf: (key) => acquiredByKey(input, draft, key),
    },
    problem: null,
    inline: null,
    finish: createFinish(input, sent, workshop),
  };
}
