import type { ChangeText, Replacement } from "../../model/acquisition.ts";
import type { CallItem } from "../../model/item.ts";
import type { JsonValue } from "../../model/json.ts";
import { isSet, listArgument, textArgument, wholeText } from "../call-input.ts";
import { patchedFilesIn, patchText } from "../patch-envelope.ts";

/** The change that a successful call of opencode's file tools states. */
export function changeText({ name, input }: CallItem): ChangeText | null {
  switch (name) {
    case "edit":
      return ofReplacements([replacementOf(input)]);
    case "multiedit":
      return ofReplacements(listArgument(input, "edits").map(replacementOf));
    case "write": {
      const text = wholeText(input, "content");
      return text === null ? null : { kind: "content", text, isNew: false };
    }
    case "apply_patch":
    case "patch":
      return patchText(patchedFilesIn(textArgument(input, "patchText") ?? ""));
    default:
      return null;
  }
}

function replacementOf(input: JsonValue): Replacement | null {
  const from = wholeText(input, "oldString");
  const to = wholeText(input, "newString");
  return from === null || to === null ? null : { from, to, isAll: isSet(input, "replaceAll") };
}

/** An empty text stands for the whole file, whatever stood there before. */
function ofReplacements(given: readonly (Replacement | null)[]): ChangeText | null {
  const replacements = given.filter((one) => one !== null);
  const [first, ...rest] = replacements;
  if (first === undefined || replacements.length < given.length || rest.some(({ from }) => from === "")) return null;
  if (first.from !== "") return { kind: "replacements", replacements };
  return rest.length === 0 ? { kind: "content", text: first.to, isNew: false } : null;
}
