import type { LedgerEntry } from "../model/ledger.ts";
import type { ResponseFacts } from "../model/usage.ts";
import { appendNote } from "./append.ts";
import type { DraftInput } from "./draft.ts";
import { wordsOf } from "./error-words.ts";
import type { Workshop } from "./keeper.ts";

/**
 * Records what the provider answered, once. A record that cannot be written is an error in the account, never the
 * client's. Without a request in the ledger only the usage is noted.
 */
export function createFinish(
  { placement, request }: DraftInput,
  requestId: string | null,
  { accounting, answers, lineages, lock, settings }: Workshop,
): (response: ResponseFacts, status: number) => Promise<void> {
  const { tenant, id: lineage } = placement.lineage;
  const { atMs } = request;
  let isFinished = false;

  async function record(entry: LedgerEntry): Promise<void> {
    try {
      await appendNote({ tenant, lineage, atMs, entries: [entry] }, lineages, settings.store);
    } catch (error) {
      const words = wordsOf(error);
      accounting.noteError(atMs, "response_unrecorded", words);
      settings.onError("response_unrecorded", words);
    }
  }

  return async ({ usage, errorType, calls }, status) => {
    if (isFinished) return;
    isFinished = true;
    answers.note(lineage, calls);
    if (usage !== null && request.route.kind === "generate") accounting.noteUsage(usage);
    if (requestId === null) return;
    await lock.run(() => record({ type: "response-seen", requestId, status, usage, errorType, calls }));
  };
}
