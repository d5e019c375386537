import { foldLedger } from "../engine/standing.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { ResponseFacts } from "../model/usage.ts";
import type { DraftInput } from "./draft.ts";
import { wordsOf } from "./error-words.ts";
import type { Workshop } from "./keeper.ts";
import { recordsOf } from "./lineages.ts";

/** Records what the provider answered. A record that cannot be written is an error in the account, never the client's. */
export function createFinish(
  input: DraftInput,
  requestId: string | null,
  workshop: Workshop,
): (response: ResponseFacts, status: number) => Promise<void> {
  let isFinished = false;
  return async (response, status) => {
    if (isFinished) return;
    isFinished = true;
    if (response.usage !== null && requestId !== null) workshop.accounting.noteUsage(response.usage);
    if (requestId === null) return;
    const entry: LedgerEntry = {
      type: "response-seen",
      requestId,
      status,
      usage: response.usage,
      errorType: response.errorType,
    };
    await workshop.lock.run(() => record(entry, input, workshop));
  };
}

async function record(entry: LedgerEntry, input: DraftInput, workshop: Workshop): Promise<void> {
  const { lineage } = input.placement;
  const { settings, accounting } = workshop;
  try {
    const outcome = await settings.store.commit({
      tenant: lineage.tenant,
      lineage: lineage.id,
      expectedSeq: lineage.seq,
      atMs: input.request.atMs,
      entries: [entry],
      chain: [],
      originals: [],
    });
    if (!outcome.ok) {
      if (outcome.kind === "conflict") workshop.lineages.forget(lineage.id);
      else throw new EbbError("store_full", `the store's cap of ${outcome.bytesMax} bytes is reached`);
      return;
    }
    lineage.standing = foldLedger(lineage.standing, recordsOf([entry], lineage.standing.seq, input.request.atMs));
    lineage.seq = outcome.seq;
  } catch (error) {
    const words = wordsOf(error);
    accounting.noteError(input.request.atMs, "response_unrecorded", words);
    settings.onError("response_unrecorded", words);
  }
}
