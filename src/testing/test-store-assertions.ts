import { equal, ok } from "node:assert/strict";
import { EbbError, type EbbErrorCode } from "../lib/ebb-error.ts";
import type { StoredOriginal } from "../model/store.ts";

/** Fails unless the original is there with exactly these bytes. Prints no bytes. */
export function expectBytes(stored: StoredOriginal, bytes: Uint8Array): void {
  equal(stored.state, "present");
  ok(stored.state === "present" && Buffer.compare(stored.bytes, bytes) === 0, "the original's bytes differ");
}

/** A predicate for `rejects`: the one error class with this code. */
export function isEbbError(code: EbbErrorCode): (failure: unknown) => boolean {
  return (failure) => failure instanceof EbbError && failure.code === code;
}
