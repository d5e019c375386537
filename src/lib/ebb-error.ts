/** Documented codes of the one error class. */
export type EbbErrorCode =
  | "config_invalid"
  | "store_locked"
  | "store_full"
  | "store_corrupt"
  | "store_unwritable"
  | "store_closed"
  | "store_failed"
  | "address_in_use"
  | "input_invalid";

/** The environment failed: a file, a disk, a port, a configuration. Expected outcomes are return values instead. */
export class EbbError extends Error {
  readonly code: EbbErrorCode;

  constructor(code: EbbErrorCode, words: string, cause?: unknown) {
    super(words, cause === undefined ? undefined : { cause });
    this.name = "EbbError";
    this.code = code;
  }
}
