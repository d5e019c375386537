import { assert } from "../../lib/assert.ts";
import type { HeaderHints, Wire, WireRoute } from "../../model/ports.ts";
import { replacementSplices } from "../shared/replacements.ts";
import { spliceBody } from "../shared/splice.ts";
import { NAME_LENGTH_MAX } from "../shared/value.ts";
import { readBody } from "./read.ts";
import { isGeminiSource } from "./source.ts";
import { watchResponse } from "./watch.ts";

/** Version, and a model by its name; a model of another publisher, as Vertex names it, is none of this API. */
const PATH = /^(?:\/v\d\w*)?\/(?:models|tunedModels)\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/;

/** The Gemini API: `generateContent`, `streamGenerateContent` and `countTokens`. */
export function createGemini(): Wire {
  return {
    name: "gemini",
    takes: new Set(["replace"]),
    route: (method, path) => (method === "POST" ? routeOf(path) : null),
    read: readBody,
    write(body, source, script) {
      assert(isGeminiSource(source), "a body is written with the source that was read from it");
      return spliceBody(
        body,
        replacementSplices(source, script, (json) => `{"text":${json}}`),
      );
    },
    headersFor: () => [],
    watch: watchResponse,
    hintsOf,
    errorBody,
    inline: null,
  };
}

function routeOf(path: string): WireRoute | null {
  const [, model, method] = PATH.exec(path) ?? [];
  if (model === undefined) return null;
  return { kind: method === "countTokens" ? "count" : "generate", model: decoded(model) };
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** No client of this API names its session in a way of its own. */
function hintsOf(header: (name: string) => string | null): HeaderHints {
  const session = header("x-session-id") ?? "";
  const isName = session !== "" && session.length <= NAME_LENGTH_MAX;
  return { sessionId: isName ? session : null, agentId: null, parentAgentId: null, isSubscription: false };
}

/** Clients of this API retry `UNAVAILABLE`. Source: the API's page on errors. */
function errorBody(kind: "unavailable" | "invalid", words: string): Uint8Array {
  const error =
    kind === "unavailable"
      ? { code: 503, message: words, status: "UNAVAILABLE" }
      : { code: 400, message: words, status: "INVALID_ARGUMENT" };
  return Buffer.from(JSON.stringify({ error }));
}
