import { assert } from "../../lib/assert.ts";
import type { Script } from "../../model/edit.ts";
import type { WireSource } from "../../model/ports.ts";
import { replacementSplices } from "../shared/replacements.ts";
import { spliceBody } from "../shared/splice.ts";
import { isResponsesSource } from "./source.ts";

/** The body with the texts of a script in the place of results and pictures. Every other edit is skipped. */
export function writeBody(body: Uint8Array, source: WireSource, script: Script): readonly Uint8Array[] {
  assert(isResponsesSource(source), "a body is written with the source that was read from it");
  return spliceBody(body, replacementSplices(source, script, textPart));
}

function textPart(json: string): string {
  return `{"type":"input_text","text":${json}}`;
}
