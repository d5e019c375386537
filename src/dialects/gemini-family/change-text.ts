import type { ChangeText } from "../../model/acquisition.ts";
import type { CallItem } from "../../model/item.ts";
import type { JsonValue } from "../../model/json.ts";
import { isSet, wholeArgument, wholeText } from "../call-input.ts";

/** The user changed the call's text before it acted, so that the call does not state what happened. */
const CHANGED_BY_USER = /User modified the `(?:new_string|content)` /;
const CREATED = /^(?:Successfully created and wrote to new file|Created new file: )/;

/** The change that a successful call of these agents' file tools states. */
export function changeText({ name, input }: CallItem, text: string): ChangeText | null {
  if (CHANGED_BY_USER.test(text)) return null;
  const isNew = CREATED.test(text);
  if (name === "write_file") {
    const content = wholeText(input, "content");
    return content === null ? null : { kind: "content", text: content, isNew };
  }
  if (name !== "replace" && name !== "edit") return null;
  const from = wholeText(input, "old_string");
  const to = wholeText(input, "new_string");
  if (from === null || to === null) return null;
  if (from === "") return { kind: "content", text: to, isNew };
  return { kind: "replacements", replacements: [{ from, to, isAll: isEvery(input) }] };
}

function isEvery(input: JsonValue): boolean {
  const count = wholeArgument(input, "expected_replacements") ?? 1;
  return isSet(input, "allow_multiple") || isSet(input, "replace_all") || count > 1;
}
