import type { Edit } from "../../model/edit.ts";
import type { Wire, WireRoute } from "../../model/ports.ts";
import { INLINE } from "./inline.ts";
import { readBody } from "./read.ts";
import { hintsOf } from "./session.ts";
import { watchResponse } from "./watch.ts";
import { writeBody } from "./write.ts";

const GENERATE: WireRoute = { kind: "generate", model: null };
const TAKES: ReadonlySet<Edit["kind"]> = new Set(["replace"]);

/** OpenAI's Responses API, wherever its path begins. What stands below `/responses` passes through. */
export function createOpenaiResponses(): Wire {
  return {
    name: "openai-responses",
    takes: TAKES,
    route: (method, path) => (method === "POST" && path.endsWith("/responses") ? GENERATE : null),
    read: (body, memo) => readBody(body, memo),
    write: writeBody,
    headersFor: () => [],
    watch: watchResponse,
    hintsOf,
    errorBody,
    inline: INLINE,
  };
}

/** Clients of this API ask again by the status alone; a code of overload makes some of them stop. */
function errorBody(kind: "unavailable" | "invalid", words: string): Uint8Array {
  const type = kind === "unavailable" ? "server_error" : "invalid_request_error";
  return Buffer.from(JSON.stringify({ error: { message: words, type, param: null, code: null } }));
}
