import type { JsonObject } from "../../../model/json.ts";
import type { ApiCall, Streamed } from "../api.ts";
import { isObject, objectsOf, omit, stringOf } from "../json.ts";
import { piecesOf } from "../pieces.ts";

/** An answer in chunks: server-sent events, or the elements of one JSON array. Null where none is streamed. */
export function geminiEvents(response: JsonObject, how: ApiCall["stream"]): Streamed | null {
  const chunks = chunksOf(response).map((chunk) => JSON.stringify(chunk));
  if (how === "events") {
    const events = chunks.map((chunk) => `data: ${chunk}\r\n\r\n`);
    return { contentType: "text/event-stream", events };
  }
  if (how !== "array") return null;
  const events = chunks.map((chunk, index) => (index === 0 ? `[${chunk}` : `\n,\r\n${chunk}`));
  return { contentType: "application/json; charset=UTF-8", events: [...events, "\n]"] };
}

/** Usage comes with every chunk; the end and what it finished for with the last one. */
function chunksOf(response: JsonObject): readonly JsonObject[] {
  const [candidate = {}] = objectsOf(response.candidates);
  const content = isObject(candidate.content) ? candidate.content : {};
  const bare = omit(omit(candidate, "content"), "finishReason");
  const parts = objectsOf(content.parts).flatMap(pieces);
  const last = parts.length - 1;
  return (parts.length === 0 ? [{ text: "" }] : parts).map((part, index) => ({
    ...response,
    candidates: [
      {
        content: { parts: [part], role: "model" },
        ...(index >= last ? { finishReason: stringOf(candidate.finishReason) } : {}),
        ...bare,
      },
    ],
  }));
}

/** A text in pieces; its signature, if any, in a last one without text. */
function pieces(part: JsonObject): readonly JsonObject[] {
  if (typeof part.text !== "string") return [part];
  const bare = omit(part, "thoughtSignature");
  const signature = stringOf(part.thoughtSignature);
  return [
    ...piecesOf(part.text).map((text) => ({ ...bare, text })),
    ...(signature === "" ? [] : [{ ...bare, text: "", thoughtSignature: signature }]),
  ];
}
