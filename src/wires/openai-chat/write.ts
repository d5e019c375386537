import { assert } from "../../lib/assert.ts";
import type { Script } from "../../model/edit.ts";
import type { WireSource } from "../../model/ports.ts";
import { replacementSplices } from "../shared/replacements.ts";
import { spliceBody } from "../shared/splice.ts";
import { isChatSource } from "./source.ts";

/** The body with texts in the place of items; the slices between them are the body's own memory. All other edits are skipped. */
export function writeBody(body: Uint8Array, source: WireSource, script: Script): readonly Uint8Array[] {
  assert(isChatSource(source), "a body is written with the source that was read from it");
  return spliceBody(body, replacementSplices(source, script, textPart));
}

function textPart(json: string): string {
  return `{"type":"text","text":${json}}`;
}
