import type { RecallFailure } from "../keeper/contract.ts";
import type { OrderFailure } from "../keeper/order.ts";
import type { ReportAnswer } from "../keeper/report.ts";
import type { WindowAnswer } from "../keeper/window.ts";
import type { Answer } from "./exchange.ts";

/** Names of failures that an answer can carry. */
export type OwnFailure = RecallFailure | OrderFailure | Extract<WindowAnswer | ReportAnswer, { ok: false }>["failure"];

/** A value as an answer. */
export function json(status: number, value: unknown): Answer {
  return { status, contentType: "application/json", body: `${JSON.stringify(value)}\n` };
}

/** A failure as an answer: its name and why, under the status that fits it or the one that is given. */
export function failed(failure: OwnFailure, words: string, status: number = STATUS_OF_FAILURE[failure]): Answer {
  return json(status, { failure, words });
}

const STATUS_OF_FAILURE: Readonly<Record<OwnFailure, number>> = {
  "unknown id": 404,
  "unknown session": 404,
  "unknown scope": 404,
  "belongs to another session": 404,
  "expired by retention": 410,
  "not a finished result": 409,
  "empty result": 409,
  "bad order": 400,
  "bad range": 400,
  "bad pattern": 400,
  "selects nothing": 404,
  "attachment cannot be sliced": 400,
  "ambiguous session": 409,
  "not stored": 404,
  "purged by the user": 410,
  "damaged in store": 500,
  "store unavailable": 503,
};
