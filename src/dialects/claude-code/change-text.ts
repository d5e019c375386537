import type { ChangeText, Replacement } from "../../model/acquisition.ts";
import type { CallItem } from "../../model/item.ts";
import type { JsonValue } from "../../model/json.ts";
import { isSet, listArgument, textArgument, wholeText } from "../call-input.ts";

/** The user changed the call's text before it acted, so that the call does not state what happened. */
const CHANGED_BY_USER = "The user modified your proposed changes before accepting them";
const CREATED = "File created successfully at";

/** The change that a successful call of Claude Code's file tools states. */
export function changeText({ name, input }: CallItem, text: string): ChangeText | null {
  if (text.includes(CHANGED_BY_USER)) return null;
  switch (name) {
    case "Edit":
      return ofReplacements([replacementOf(input)]);
    case "MultiEdit":
      return ofReplacements(listArgument(input, "edits").map(replacementOf));
    case "Write": {
      const content = wholeText(input, "content");
      return content === null ? null : { kind: "content", text: content, isNew: text.startsWith(CREATED) };
    }
    case "NotebookEdit":
      return cellOf(input);
    default:
      return null;
  }
}

function replacementOf(input: JsonValue): Replacement | null {
  const from = wholeText(input, "old_string");
  const to = wholeText(input, "new_string");
  return from === null || to === null ? null : { from, to, isAll: isSet(input, "replace_all") };
}

/** An empty text is replaced only where nothing stands: the first one is then the whole content. */
function ofReplacements(given: readonly (Replacement | null)[]): ChangeText | null {
  const replacements = given.filter((one) => one !== null);
  const [first, ...rest] = replacements;
  if (first === undefined || replacements.length < given.length || rest.some(({ from }) => from === "")) return null;
  if (first.from !== "") return { kind: "replacements", replacements };
  return rest.length === 0 ? { kind: "content", text: first.to, isNew: true } : null;
}

function cellOf(input: JsonValue): ChangeText | null {
  const mode = textArgument(input, "edit_mode") ?? "replace";
  const text = wholeText(input, "new_source");
  if (mode !== "replace" && mode !== "insert" && mode !== "delete") return null;
  if (text === null && mode !== "delete") return null;
  return { kind: "cell", cell: textArgument(input, "cell_id"), mode, text: mode === "delete" ? "" : (text ?? "") };
}
