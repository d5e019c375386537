import type { Outcome } from "../../model/acquisition.ts";

const STATUS = /^\s*\{"status":"(denied|error)"/;
const DENIED = /^\s*(?:Changes were rejected by the user\.|\{"status":"denied"|File: [^\n]*\nStatus: Denied by user)/;
const FAILED_READ = /^File: [^\n]*\nError: /m;
const SHOWN = /^File: /m;
const CHANGED = /\{"path":"(?:[^"\\]|\\.)*","operation":"(created|modified)"/;
const USER_EDITS = /,"user_edits":"/;
const HEAD_CHARS = 400;

/** What a read's answer proves: one that shows a file names it first. */
export function readOutcome(text: string): Outcome {
  if (DENIED.test(text)) return "interrupted";
  const head = text.slice(0, HEAD_CHARS);
  return SHOWN.test(head) && !FAILED_READ.test(head) && !STATUS.test(head) ? "ok" : "failed";
}

/**
 * What a change's answer proves: one that went well holds JSON of the file and what was done. Source: RooCodeInc/Roo-Code,
 * src/integrations/editor/DiffViewProvider.ts (pushToolWriteResult).
 */
export function changeOutcome(text: string): Outcome {
  if (CHANGED.test(text)) return "ok";
  return DENIED.test(text) ? "interrupted" : "failed";
}

/** What a successful change did, where the person or the editor changed nothing of it; null else. */
export function plainOperation(text: string): "created" | "modified" | null {
  const operation = USER_EDITS.test(text) ? undefined : CHANGED.exec(text)?.[1];
  return operation === "created" || operation === "modified" ? operation : null;
}

/** What the answer of a command proves: `missing` where it still runs. */
export function commandOutcome(text: string): Outcome {
  if (DENIED.test(text)) return "interrupted";
  const head = text.slice(0, HEAD_CHARS);
  if (/Command is still running/.test(head)) return "missing";
  const code = /Exit code: (-?\d+)/.exec(head)?.[1];
  return STATUS.test(head) || (code !== undefined && code !== "0") ? "failed" : "ok";
}
