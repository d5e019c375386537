import {
  blockOf,
  consumePending,
  giveBackConsumed,
  type Moved,
  noteAnswer,
  pinConsumed,
  queueDeletions,
  resetEdits,
  rewindEdits,
} from "../../src/engine/cache-edit-moves.ts";
import { type CacheEditEntry, type CacheEdits, NO_CACHE_EDITS } from "../../src/engine/cache-edits.ts";
import { addressOf, sha256Hex } from "../../src/lib/hash.ts";
import type { Boundary, CacheDeletion } from "../../src/model/cache-edit.ts";

/** One step of a playbook. Results and anchors go by their keys, requests by their ids. */
export type EditStep =
  | { readonly kind: "queue"; readonly results: readonly string[]; readonly registered?: readonly string[] }
  | { readonly kind: "consume"; readonly request: string }
  | { readonly kind: "pin"; readonly request: string; readonly anchor: string }
  | { readonly kind: "give-back"; readonly request: string }
  | { readonly kind: "answer"; readonly carried: readonly string[]; readonly isSuccess: boolean }
  | { readonly kind: "reset"; readonly why: Exclude<Boundary, "rewind"> }
  | { readonly kind: "rewind"; readonly keys: readonly string[] };

/** Live cache edits, and the ledger that was written on the way. */
export interface EditRun {
  readonly edits: CacheEdits;
  readonly ledger: readonly CacheEditEntry[];
}

/** A lineage without cache edits. */
export const NEW_RUN: EditRun = { edits: NO_CACHE_EDITS, ledger: [] };

/** The run after a step. */
export function runStep({ edits, ledger }: EditRun, step: EditStep): EditRun {
  const [after, entries] = moveOf(edits, step);
  return { edits: after, ledger: [...ledger, ...entries] };
}

/** The run after all steps; `onStep` sees it after each. */
export function runSteps(steps: readonly EditStep[], onStep: (run: EditRun) => void = () => undefined): EditRun {
  let run = NEW_RUN;
  for (const step of steps) {
    run = runStep(run, step);
    onStep(run);
  }
  return run;
}

/** The deletion of a result with that key. */
export function deletion(key: string): CacheDeletion {
  const address = addressOf(key);
  return { itemKey: key, address, digest: sha256Hex(key), tokens: 500, line: `[ebb ${address}] ${key}`, recall: null };
}

function moveOf(edits: CacheEdits, step: EditStep): Moved {
  switch (step.kind) {
    case "queue":
      return queueDeletions(edits, step.results.map(deletion), new Set(step.registered ?? step.results));
    case "consume":
      return [consumePending(edits, step.request)[0], []];
    case "pin":
      return pinConsumed(edits, step.request, step.anchor);
    case "give-back":
      return [giveBackConsumed(edits, step.request), []];
    case "answer":
      return noteAnswer(edits, step.carried, step.isSuccess);
    case "reset":
      return resetEdits(edits, step.why);
    case "rewind":
      return rewindEdits(edits, new Set(step.keys));
  }
}

/** The results of a request's block, for a short expectation. */
export function resultsOf(edits: CacheEdits, request: string): readonly string[] {
  return blockOf(edits, request)?.deletions.map(({ itemKey }) => itemKey) ?? [];
}
