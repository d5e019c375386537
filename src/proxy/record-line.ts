import { isUtf8 } from "node:buffer";
import { headerValues, type RawHeaders } from "./headers.ts";
import { type Redacted, withoutKnown, withoutSecrets } from "./record-secrets.ts";

/** One request and what came back, as a line of a recording. Its members are documented in docs/guides/recordings.md. */
export interface RecordedExchange {
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly wire: string;
  readonly upstream: string;
  readonly session: string | null;
  readonly run: string | null;
  /** 1 for what the client sent; more for a request that Ebb sent for it behind that one. */
  readonly round: number;
  readonly headers: RawHeaders;
  /** The body as it came, decoded; null where Ebb made it itself. */
  readonly request: Uint8Array | null;
  /** The body as it went upstream; null where that is the same. */
  readonly sent: Uint8Array | null;
  readonly status: number;
  readonly responseHeaders: RawHeaders;
  /** Decoded bytes of the response, as many as were kept. */
  readonly response: Uint8Array;
  readonly isResponseCut: boolean;
  /** Code of what broke the exchange off; null where nothing did. */
  readonly error: string | null;
  readonly endedMs: number;
}

/** Version of the lines. */
export const RECORD_VERSION = 1;

/** The only headers of a request that are written: they name the program, the version of the API and the conversation. */
const REQUEST_HEADERS = [
  "user-agent",
  "content-type",
  "anthropic-version",
  "anthropic-beta",
  "openai-beta",
  "originator",
  "version",
  "x-app",
  "x-claude-code-session-id",
  "x-claude-code-agent-id",
  "x-claude-code-parent-agent-id",
  "session-id",
  "session_id",
  "thread-id",
  "conversation_id",
  "x-session-id",
  "x-opencode-session",
  "x-openai-subagent",
];

/** The only headers of a response that are written. */
const RESPONSE_HEADERS = ["content-type", "request-id", "x-request-id", "openai-processing-ms", "retry-after"];

/** The only members of a query that are written: a key may stand in any other. */
const QUERY_NAMES = ["alt", "beta", "api-version"];

/** The line, without its end. Credentials are in none of its members. */
export function toRecordLine(exchange: RecordedExchange): string {
  const { response } = exchange;
  const [request, sent] = [bodyText(exchange.request), bodyText(exchange.sent)];
  const secrets = [...(request?.secrets ?? []), ...(sent?.secrets ?? [])];
  const responseText = Buffer.from(response.buffer, response.byteOffset, response.byteLength).toString("utf8");
  return JSON.stringify({
    v: RECORD_VERSION,
    at: new Date(exchange.atMs).toISOString(),
    method: exchange.method,
    path: exchange.path,
    query: allowedQuery(exchange.query),
    wire: exchange.wire,
    upstream: exchange.upstream,
    session: exchange.session,
    run: exchange.run,
    round: exchange.round,
    headers: allowedHeaders(exchange.headers, REQUEST_HEADERS),
    request: request?.text ?? null,
    sent: sent?.text ?? null,
    status: exchange.status,
    response_headers: allowedHeaders(exchange.responseHeaders, RESPONSE_HEADERS),
    response: withoutKnown(responseText, secrets),
    response_cut: exchange.isResponseCut,
    error: exchange.error,
    ms: exchange.endedMs - exchange.atMs,
  });
}

/** The text of a body; null where there is none, and for bytes that no text gives back. */
function bodyText(bytes: Uint8Array | null): Redacted | null {
  if (bytes === null || !isUtf8(bytes)) return null;
  return withoutSecrets(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
}

function allowedHeaders(raw: RawHeaders, names: readonly string[]): Readonly<Record<string, string>> {
  const found = names.flatMap((name) => {
    const values = headerValues(raw, name);
    return values.length === 0 ? [] : [[name, values.join(", ")] as const];
  });
  return Object.fromEntries(found);
}

function allowedQuery(query: string): string {
  const kept = query.split("&").filter((member) => QUERY_NAMES.includes(member.split("=")[0] ?? ""));
  return kept.join("&");
}
