import type { JsonValue } from "../../model/json.ts";
import type { ResponseFacts } from "../../model/usage.ts";
import { isCount, isObject } from "../shared/watch.ts";

/** What a response tells that the provider cleared of old results; nothing where it tells of no context editing at all. */
export function clearedIn(management: JsonValue | undefined): Pick<ResponseFacts, "serverCleared"> {
  if (!isObject(management) || !Array.isArray(management.applied_edits)) return {};
  let uses = 0;
  let tokens = 0;
  for (const edit of management.applied_edits) {
    if (!isObject(edit) || typeof edit.type !== "string" || !edit.type.startsWith("clear_tool_uses_")) continue;
    uses += countOr0(edit.cleared_tool_uses);
    tokens += countOr0(edit.cleared_input_tokens);
  }
  return { serverCleared: { uses, tokens } };
}

function countOr0(value: JsonValue | undefined): number {
  return isCount(value) ? value : 0;
}
