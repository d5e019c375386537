import type { ChangeText } from "../../model/acquisition.ts";
import type { JsonValue } from "../../model/json.ts";
import { textArgument, wholeArgument, wholeText } from "../call-input.ts";
import { contentOf, replacementsIn } from "../tools/replacements.ts";
import type { Tool } from "../tools/tool.ts";
import { outcomeOfParts, partResultsIn } from "./results.ts";

const NAMES = { from: "old_text", to: "new_text", all: null };

/**
 * `editor`: replaces a text that stands once, inserts before a line, or creates a file that is not there. Source: cline/cline,
 * sdk/packages/core/src/extensions/tools/executors/editor.ts.
 */
export const editorTool: Tool = {
  meaningOf: ({ input, text }) => {
    const path = textArgument(input, "path");
    const isEdit = wholeText(input, "old_text") !== null || wholeArgument(input, "insert_line") !== null;
    const kind = isEdit && !isCreated(text) ? "edit" : "write";
    const changes = path === null ? [] : [{ kind, path, source: "tool" } as const];
    return { kind, path, outcome: outcomeOfParts(partResultsIn(text)), changes };
  },
  changeText,
};

function changeText(input: JsonValue, text: string): ChangeText | null {
  if (wholeArgument(input, "insert_line") !== null) return null;
  if (isCreated(text)) return contentOf(input, "new_text", true);
  return partResultsIn(text)[0]?.text.startsWith("Edited ") === true ? replacementsIn([input], NAMES) : null;
}

function isCreated(text: string): boolean {
  return partResultsIn(text)[0]?.text.startsWith("File created successfully at") === true;
}
