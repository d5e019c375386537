import { assert } from "../../lib/assert.ts";
import type { InlineWire, WireSource } from "../../model/ports.ts";
import { appendRound } from "./append.ts";
import { followResponse } from "./follow.ts";
import { insertInto } from "./insert.ts";
import { marksOfMessage } from "./marks.ts";
import { resultJson } from "./result-json.ts";
import { isResponsesSource, type ResponsesSource } from "./source.ts";
import { thoughtsIn } from "./thoughts.ts";
import { toolsJson } from "./tools-json.ts";

/** Tools of Ebb's own inside the stream of this API. A block of a message is an entry, or reasoning and the call it led to. */
export const INLINE: InlineWire = {
  toolsJson,
  insert: (body, source, insertions) => insertInto(body, ours(source), insertions),
  marksOf: (source, messageIndex) => marksOfMessage(ours(source), messageIndex),
  thoughtsIn,
  resultJson,
  append: (body, source, blocks, results) => appendRound(body, ours(source), blocks, results),
  follow: followResponse,
};

function ours(source: WireSource): ResponsesSource {
  assert(isResponsesSource(source), "a body is looked at with the source that was read from it");
  return source;
}
