import type { Edit } from "../../model/edit.ts";
import type { Wire, WireRoute } from "../../model/ports.ts";
import { headersFor } from "./beta-headers.ts";
import type { CacheEditsAdapter } from "./cache-edits.ts";
import { INLINE } from "./inline.ts";
import { readBody } from "./read.ts";
import { hintsOf } from "./session.ts";
import { watchResponse } from "./watch.ts";
import { writeBody } from "./write.ts";

const ROUTES = new Map<string, WireRoute>([
  ["/v1/messages", { kind: "generate", model: null }],
  ["/v1/messages/count_tokens", { kind: "count", model: null }],
]);

const TAKES: ReadonlySet<Edit["kind"]> = new Set([
  "replace",
  "omit",
  "breakpoint",
  "note",
  "delete",
  "server-clear",
  "drop-thinking",
]);

interface AnthropicMessagesOptions {
  /** Null: deletions are never asked for. */
  readonly cacheEdits: CacheEditsAdapter | null;
}

/** Anthropic's Messages API. */
export function createAnthropicMessages({ cacheEdits }: AnthropicMessagesOptions = { cacheEdits: null }): Wire {
  return {
    name: "anthropic-messages",
    takes: TAKES,
    route: (method, path) => (method === "POST" ? (ROUTES.get(path) ?? null) : null),
    read: (body, memo) => readBody(body, memo),
    write: (body, source, script) => writeBody(body, source, script, cacheEdits),
    headersFor: (script) => headersFor(script, cacheEdits),
    watch: watchResponse,
    hintsOf,
    errorBody,
    inline: INLINE,
  };
}

/** Clients of this API retry an `overloaded_error`, and none of the others reliably. */
function errorBody(kind: "unavailable" | "invalid", words: string): Uint8Array {
  const type = kind === "unavailable" ? "overloaded_error" : "invalid_request_error";
  return Buffer.from(JSON.stringify({ type: "error", error: { type, message: words } }));
}
