import { z } from "zod";
import type { CacheEditsAdapter } from "../wires/anthropic-messages/cache-edits.ts";
import { type ValueType, yamlFromText } from "./value-types.ts";

/** The names under which a provider is asked to delete from its own cache, as stated. */
export interface StatedCacheEdits {
  readonly block_type: string;
  readonly edits_member: string;
  readonly delete_type: string;
  readonly reference_member: string;
  readonly text_behind?: boolean | undefined;
  readonly beta_header?: string | undefined;
}

/** The names of a form of cache edits, or null where none is stated. */
export function optionalCacheEdits(): ValueType<StatedCacheEdits | null> {
  const expects =
    "{ block_type, edits_member, delete_type, reference_member }, with text_behind or beta_header if needed";
  const name = z.string({ error: "a name" }).trim().min(1, { error: "a name" });
  const schema = z
    .strictObject(
      {
        block_type: name,
        edits_member: name,
        delete_type: name,
        reference_member: name,
        text_behind: z.boolean({ error: "true or false" }).optional(),
        beta_header: name.regex(/^[\w.-]+$/, { error: "one value of the header anthropic-beta" }).optional(),
      },
      { error: expects },
    )
    .nullable();
  return { schema, expects, notation: "map", fromText: yamlFromText };
}

/** Stated names as the wire takes them. */
export function toCacheEditsAdapter(stated: StatedCacheEdits | null): CacheEditsAdapter | null {
  if (stated === null) return null;
  return {
    blockType: stated.block_type,
    editsMember: stated.edits_member,
    deleteType: stated.delete_type,
    referenceMember: stated.reference_member,
    needsTextBehind: stated.text_behind ?? false,
    betaHeader: stated.beta_header ?? null,
  };
}
