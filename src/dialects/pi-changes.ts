import type { ChangeText, Replacement } from "../model/acquisition.ts";
import type { CallItem } from "../model/item.ts";
import type { JsonValue } from "../model/json.ts";
import { listArgument, wholeText } from "./call-input.ts";

/** The change that a successful call of pi's file tools states. */
export function changeText({ name, input }: CallItem): ChangeText | null {
  if (name === "write") {
    const text = wholeText(input, "content");
    return text === null ? null : { kind: "content", text, isNew: false };
  }
  if (name !== "edit") return null;
  const listed = listArgument(input, "edits");
  const given = listed.length > 0 ? listed.map(replacementOf) : [replacementOf(input)];
  const replacements = given.filter((one) => one !== null);
  return replacements.length === given.length && replacements.every(({ from }) => from !== "")
    ? { kind: "replacements", replacements }
    : null;
}

function replacementOf(input: JsonValue): Replacement | null {
  const from = wholeText(input, "oldText");
  const to = wholeText(input, "newText");
  return from === null || to === null ? null : { from, to, isAll: false };
}
