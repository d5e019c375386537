import { scanJson, toJsonBytes } from "../../lib/json-scan.ts";
import { membersOf } from "../../lib/json-spans.ts";
import { eventBytes } from "../shared/stream-write.ts";
import { stringAt } from "../shared/value.ts";
import { objectAt } from "./stream-event.ts";

interface ToldError {
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
}

/** What clients of this API ask again after. */
const TYPE_DEFAULT = "server_error";
const WORDS_DEFAULT = "the provider's answer could not be read";

/** An error body as an event of a stream; well-formed whatever the body is. Null as the number: the stream numbers nothing. */
export function errorEvent(body: Uint8Array, sequence: number | null): Uint8Array {
  const { type, code, message } = errorIn(body);
  const numbered = sequence === null ? {} : { sequence_number: sequence };
  return eventBytes("error", JSON.stringify({ type: "error", code: code ?? type, message, param: null, ...numbered }));
}

/** An error body as this API writes it; well-formed whatever the body is. */
export function errorJson(body: Uint8Array): string {
  const { type, code, message } = errorIn(body);
  return JSON.stringify({ error: { message, type, param: null, code } });
}

function errorIn(body: Uint8Array): ToldError {
  const text = toJsonBytes(body);
  const scan = scanJson(text);
  const whole = scan.ok ? objectAt(text, scan.value) : null;
  const error = whole === null ? null : objectAt(text, membersOf(text, whole.start).spans.get("error"));
  const spans = error === null ? null : membersOf(text, error.start).spans;
  return {
    type: stringAt(text, spans?.get("type")) ?? TYPE_DEFAULT,
    code: stringAt(text, spans?.get("code")),
    message: stringAt(text, spans?.get("message")) ?? WORDS_DEFAULT,
  };
}
