import { assert } from "../../lib/assert.ts";
import type { InlineWire, WireSource } from "../../model/ports.ts";
import { appendRound } from "./append.ts";
import { thoughtsIn } from "./call-json.ts";
import { followResponse } from "./follow.ts";
import { insertInto } from "./insert.ts";
import { marksOfMessage } from "./marks.ts";
import { resultJson } from "./result-json.ts";
import { type ChatSource, isChatSource } from "./source.ts";
import { toolsJson } from "./tools-json.ts";

/** Tools of Ebb's own inside the stream of this API. */
export const INLINE: InlineWire = {
  toolsJson,
  insert: (body, source, insertions) => insertInto(body, ours(source), insertions),
  marksOf: (source, messageIndex, expected = []) => marksOfMessage(ours(source), messageIndex, expected),
  thoughtsIn,
  resultJson,
  append: (body, source, blocks, results) => appendRound(body, ours(source), blocks, results),
  follow: followResponse,
};

function ours(source: WireSource): ChatSource {
  assert(isChatSource(source), "a body is looked at with the source that was read from it");
  return source;
}
