import { blockCounts } from "../engine/block-counts.ts";
import { assistantRunsBehind, lastAssistantIndex } from "../engine/exposure.ts";
import { pinnedEdits, standingWith } from "../engine/pinned.ts";
import { scriptOf } from "../engine/script.ts";
import type { Script } from "../model/edit.ts";
import type { ItemKey } from "../model/item.ts";
import type { WireSource } from "../model/ports.ts";
import type { Transcript } from "../model/transcript.ts";
import type { Answers } from "./answers.ts";
import { carriedIn } from "./cache-edits.ts";
import type { KeeperRequest, Prepared } from "./contract.ts";
import { type DraftInput, takenBy, withoutNew } from "./draft.ts";
import { wordsOf } from "./error-words.ts";
import { createFinish } from "./finish.ts";
import { forward, isEdited } from "./forward.ts";
import { createInline } from "./inline.ts";
import type { Workshop } from "./keeper.ts";
import type { Placement } from "./lineages.ts";
import { hasResults, type Progress, placeInputOf } from "./prepare.ts";
import { clearedIn } from "./server-clear.ts";
import { rememberUnrecorded } from "./settle.ts";
import { repeatedThinking } from "./signed-thinking.ts";
import { understandWithoutDialect } from "./understand.ts";

/** What goes out when something failed, and what stands in it beside markers. */
export interface Fallback {
  readonly prepared: Prepared;
  readonly edits: Script;
}

/**
 * The last valid form when something failed: the script that was sent before; the original where nothing can have been
 * released; else a refusal the client retries. Never rejects.
 */
export function fallbackFor(progress: Progress, workshop: Workshop, words: string): Promise<Fallback> {
  return lastValidForm(progress, workshop, words).catch((error: unknown) => {
    workshop.accounting.noteError(progress.request.atMs, "fallback_failed", wordsOf(error));
    return { prepared: refusal(workshop, words), edits: [] };
  });
}

async function lastValidForm(progress: Progress, workshop: Workshop, words: string): Promise<Fallback> {
  const { request, source, expansion, draft } = progress;
  const { settings } = workshop;
  if (source === null || expansion === null) return { prepared: refusal(workshop, words), edits: [] };
  const understood = progress.understood ?? understandWithoutDialect(source);
  const counts = blockCounts(source.transcript, request.provider.modelFacts(source.transcript.header.model));
  const placement = await placementOf(request, source, progress, counts, workshop);
  if (placement === null) return { prepared: refusal(workshop, words), edits: [] };
  const own = { refused: new Set<ItemKey>(), blockCounts: counts, requestId: settings.newId() };
  const input: DraftInput = { request, source, expansion, understood, placement, ...own };
  const repeated = { blocks: carriedIn(input), clear: clearedIn(input) };
  const ledger = standingWith(placement.lineage.standing, repeated);
  const standing = source.transcript.items.flatMap((item) => ledger.decisions.get(item.key) ?? []);
  const pinned = takenBy(request.wire, [...pinnedEdits(repeated, ledger), ...repeatedThinking(input, ledger)]);
  const body = request.wire.write(request.body, source, [...scriptOf(standing), ...pinned]);
  if (request.route.kind === "generate") noteUnrecorded(input, progress, workshop);
  workshop.accounting.noteFallback(standing.length > 0 ? "script_only" : "original");
  if (draft !== null && progress.placement !== null) {
    return { prepared: forward(input, withoutNew(draft), body, null, workshop), edits: pinned };
  }
  return { prepared: unplanned(input, body, pinned, words, workshop), edits: pinned };
}

function unplanned(
  input: DraftInput,
  body: readonly Uint8Array[],
  pinned: Script,
  words: string,
  workshop: Workshop,
): Extract<Prepared, { kind: "forward" }> {
  const { request } = input;
  return {
    kind: "forward",
    body,
    isEdited: isEdited(body, input),
    headers: request.wire.headersFor(pinned),
    plan: null,
    problem: words,
    inline: createInline(input, workshop),
    finish: createFinish(input, null, workshop),
  };
}

/** What goes out counts as sent, in memory until the store takes it. */
function noteUnrecorded(input: DraftInput, { draft }: Progress, workshop: Workshop): void {
  const { lineage } = input.placement;
  const { settings, lineages } = workshop;
  rememberUnrecorded(input, draft, settings.newId(), settings);
  lineages.noteSent(lineage, hasResults(input.source));
  lineages.noteUnwritten(lineage, input.understood.chain);
}

async function placementOf(
  request: KeeperRequest,
  source: WireSource,
  { understood, placement }: Progress,
  counts: readonly number[],
  { answers, lineages }: Workshop,
): Promise<Placement | null> {
  if (placement !== null) return placement;
  if (understood === null)
    return lineages.place(placeInputOf(request, source, understandWithoutDialect(source), counts));
  const input = placeInputOf(request, source, understood, counts);
  const known = lineages.placeFromMemory(input);
  if (known !== null && isWhollyKnown(source.transcript, known, answers)) return known;
  return lastAssistantIndex(source.transcript) === -1 ? lineages.openFresh(input) : null;
}

/**
 * Whether all that was sent of a history was sent from here. More than one answer behind what memory knows: some of it was
 * sent by somebody else, in a form nobody knows here. Where another conversation may have begun in the same way, the answers
 * must be those this process saw, unless nothing behind them could have left.
 */
function isWhollyKnown(transcript: Transcript, { known, sentCount }: Placement, answers: Answers): boolean {
  if (!known.isGuessed) return assistantRunsBehind(transcript, sentCount, () => false) <= 1;
  if (transcript.items.slice(sentCount).every((item) => item.kind !== "result")) return true;
  return (
    assistantRunsBehind(
      transcript,
      sentCount,
      (item) => item.kind === "call" && answers.isAnswerTo(known.id, item.callId),
    ) === 0
  );
}

function refusal(workshop: Workshop, words: string): Prepared {
  workshop.accounting.noteFallback("refused");
  return { kind: "refuse", words: `Ebb cannot tell what it sent before in this conversation: ${words}` };
}
