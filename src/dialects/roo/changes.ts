import type { ChangeText } from "../../model/acquisition.ts";
import type { JsonValue } from "../../model/json.ts";
import { isSet, wholeArgument, wholeText } from "../call-input.ts";
import { changeTool } from "../tools/file-tools.ts";
import { contentOf, replacementsIn } from "../tools/replacements.ts";
import type { Tool } from "../tools/tool.ts";
import { changeOutcome, plainOperation } from "./results.ts";

/** What the client may change in a content before it writes it: fences around it, and entities that some models write. */
const RESHAPED = /^\s*```|&(?:lt|gt|amp|quot|apos|#\d+);/;
const NAMES = { from: "old_string", to: "new_string", all: "replace_all" };

/** `write_to_file`: the whole content; a file that ended in a line end keeps one. Source: RooCodeInc/Roo-Code, src/core/tools/WriteToFileTool.ts. */
export const writeTool: Tool = changeTool({
  kind: "write",
  path: ["path"],
  outcomeOf: changeOutcome,
  changeText: (input, text) => {
    const operation = plainOperation(text);
    const content = wholeText(input, "content");
    const isExact = content !== null && !RESHAPED.test(content) && (operation === "created" || content.endsWith("\n"));
    return operation !== null && isExact ? contentOf(input, "content", operation === "created") : null;
  },
});

/** `apply_diff`: blocks that may be placed by similarity, so the call does not state the change. */
export const diffTool: Tool = changeTool({ kind: "edit", path: ["path"], outcomeOf: changeOutcome });

/** `edit` and its other names: a text for a text. Source: RooCodeInc/Roo-Code, src/core/tools/EditTool.ts, EditFileTool.ts. */
export const replaceTool: Tool = changeTool({
  kind: "edit",
  path: ["file_path", "path"],
  outcomeOf: changeOutcome,
  changeText: replacementText,
});

function replacementText(input: JsonValue, text: string): ChangeText | null {
  const operation = plainOperation(text);
  if (operation === "created" && wholeText(input, "old_string") === "") return contentOf(input, "new_string", true);
  const expected = wholeArgument(input, "expected_replacements");
  const isCounted = expected !== null && expected > 1 && !isSet(input, "replace_all");
  return operation === "modified" && !isCounted ? replacementsIn([input], NAMES) : null;
}
