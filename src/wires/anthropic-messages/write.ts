import { assert } from "../../lib/assert.ts";
import type { Script } from "../../model/edit.ts";
import type { WireSource } from "../../model/ports.ts";
import { spliceBody } from "../shared/splice.ts";
import type { CacheEditsAdapter } from "./cache-edits.ts";
import { isAnthropicSource } from "./source.ts";
import { blockSplices } from "./write-blocks.ts";
import { deleteSplices } from "./write-deletes.ts";
import { fieldSplices } from "./write-fields.ts";
import { formSplices } from "./write-forms.ts";

/**
 * The body with the script's edits spliced in. The slices between them are the body's own memory. Skips what the body has no
 * place for, and refuses empty texts, which the API rejects for good.
 */
export function writeBody(
  body: Uint8Array,
  source: WireSource,
  script: Script,
  cacheEdits: CacheEditsAdapter | null = null,
): readonly Uint8Array[] {
  assert(isAnthropicSource(source), "a body is written with the source that was read from it");
  if (script.length === 0) return [body];
  const deletes = deleteSplices(source, script, cacheEdits);
  return spliceBody(body, [
    ...formSplices(source, script),
    ...deletes.references,
    ...blockSplices(source, script, deletes.blocks),
    ...fieldSplices(source, script),
  ]);
}
