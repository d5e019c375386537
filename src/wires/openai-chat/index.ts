import type { Edit } from "../../model/edit.ts";
import type { Wire, WireRoute } from "../../model/ports.ts";
import { errorBody } from "./errors.ts";
import { INLINE } from "./inline.ts";
import { readBody } from "./read.ts";
import { hintsOf } from "./session.ts";
import { watchResponse } from "./watch.ts";
import { writeBody } from "./write.ts";

const PATH_END = "/chat/completions";
const GENERATE: WireRoute = { kind: "generate", model: null };
const TAKES: ReadonlySet<Edit["kind"]> = new Set(["replace"]);

/** OpenAI's Chat Completions API, and what other providers and local servers offer in its form. */
export function createOpenaiChat(): Wire {
  return {
    name: "openai-chat",
    takes: TAKES,
    route: (method, path) => (method === "POST" && path.endsWith(PATH_END) ? GENERATE : null),
    read: (body, memo) => readBody(body, memo),
    write: writeBody,
    headersFor: () => [],
    watch: watchResponse,
    hintsOf,
    errorBody,
    inline: INLINE,
  };
}
