import { noteAnswer } from "../engine/cache-edit-moves.ts";
import { isNetGuarded } from "../engine/net-guard.ts";
import type { CarriedClear } from "../engine/server-clear.ts";
import { takenBack } from "../engine/thinking-standing.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { ResponseFacts, Usage } from "../model/usage.ts";
import { appendNote } from "./append.ts";
import type { DraftInput } from "./draft.ts";
import { wordsOf } from "./error-words.ts";
import type { Judged } from "./feedback.ts";
import { guardAfter } from "./guard-notes.ts";
import type { Workshop } from "./keeper.ts";
import type { Lineage } from "./lineage.ts";
import { answeredClearing } from "./server-clear.ts";

/** A request in the ledger. */
export interface SentRequest {
  readonly requestId: string;
  /** Requests that took the deletions which it asked for. */
  readonly carried: readonly string[];
  /** What it asked the provider to clear by itself; null for nothing. */
  readonly cleared: CarriedClear | null;
  /** What its usage tells; null where nothing was expected of it. */
  readonly judge: ((usage: Usage) => Judged) | null;
}

/**
 * Records what the provider answered, once, and what came of the prediction. A record that cannot be written is an error in the
 * account, never the client's. Without a request in the ledger only the usage is noted.
 */
export function createFinish(
  input: DraftInput,
  sent: SentRequest | null,
  { accounting, anchors, answers, lineages, lock, selfCheck, settings }: Workshop,
): (response: ResponseFacts, status: number) => Promise<void> {
  const { placement, request } = input;
  const { tenant, id: lineage } = placement.lineage;
  const stood = isNetGuarded(placement.lineage.standing.netCosts);
  const { atMs } = request;
  let isFinished = false;

  async function record(entries: readonly LedgerEntry[]): Promise<void> {
    await appendNote({ tenant, lineage, atMs, entries }, lineages, settings.store);
  }

  function survive(code: string, error: unknown): void {
    const words = wordsOf(error);
    accounting.noteError(atMs, code, words);
    settings.onError(code, words);
  }

  /** A fault in judging loses the judgement and nothing else. */
  function judgementOf(judge: SentRequest["judge"], usage: Usage | null): Judged | null {
    try {
      return judge === null || usage === null ? null : judge(usage);
    } catch (error) {
      survive("internal", error);
      return null;
    }
  }

  function judgedBy({ judge }: SentRequest, usage: Usage | null): Judged | null {
    const judged = judgementOf(judge, usage);
    const { standing } = placement.lineage;
    accounting.noteJudged(judged, guardAfter(judged, stood, { lineage, standing, atMs }, settings));
    return judged;
  }

  /** What the provider's own clearing took out, or why it is not asked for again. */
  function clearedBy({ cleared }: SentRequest, response: ResponseFacts, status: number): readonly LedgerEntry[] {
    const { left, entries, words } = answeredClearing(cleared, placement.lineage.standing, response, status);
    accounting.noteDecisions(left, true);
    if (words !== null) {
      accounting.noteError(atMs, "server_clear_off", words);
      settings.onError("server_clear_off", words);
    }
    return entries;
  }

  async function finish(response: ResponseFacts, status: number): Promise<void> {
    const { usage, errorType, calls, refusesThinking } = response;
    answers.note(lineage, calls);
    if (usage !== null && request.route.kind === "generate") accounting.noteUsage(usage);
    if (refusesThinking === true) accounting.noteSignatureRefusal();
    if (status < 200 || status >= 300) noteUnanswered(input, anchors);
    if (sent === null) return;
    const [{ requestId }, judged] = [sent, judgedBy(sent, usage)];
    const refusal = refusesThinking === true ? ({ refusesThinking } as const) : {};
    const seen = { type: "response-seen", requestId, status, usage, ...judged, errorType, ...refusal, calls } as const;
    const edits = deletionsSent(sent, placement.lineage, { status, errorType });
    const back = () => (refusesThinking === true ? takeBack(placement.lineage, selfCheck) : []);
    await lock.run(() => record([seen, ...edits, ...clearedBy(sent, response, status), ...back()]));
  }

  return async (response, status) => {
    if (isFinished) return;
    isFinished = true;
    await finish(response, status).catch((error: unknown) => survive("response_unrecorded", error));
  };
}

/** No message came of the request. */
function noteUnanswered({ placement, expansion, requestId }: DraftInput, anchors: Workshop["anchors"]): void {
  if (expansion.anchor !== null) anchors.noteUnanswered(placement.lineage.tenant, expansion.anchor, requestId);
}

/** Deletions that arrived with a request that succeeded. */
function deletionsSent(
  { carried }: SentRequest,
  { standing }: Lineage,
  { status, errorType }: { readonly status: number; readonly errorType: string | null },
): readonly LedgerEntry[] {
  const isSuccess = status >= 200 && status < 300 && errorType === null;
  return noteAnswer(standing.cacheEdits, carried, isSuccess)[1];
}

/** What goes back to the form of the last request that the provider took. */
function takeBack(lineage: Lineage, selfCheck: Workshop["selfCheck"]): readonly LedgerEntry[] {
  const { thinking, clock } = lineage.standing;
  selfCheck.forgetSent(lineage);
  return takenBack(thinking, clock);
}
