import { baseNameOf } from "../../lib/paths.ts";
import type { JsonValue } from "../../model/json.ts";
import { listArgument, textArgument, wholeText } from "../call-input.ts";
import { changeTool } from "../tools/file-tools.ts";
import { contentOf, replacementsIn } from "../tools/replacements.ts";
import type { Tool } from "../tools/tool.ts";
import { calledOutcome, changeOutcome, isChangedFile, isHealed } from "./results.ts";

const NAMES = { from: "oldString", to: "newString", all: null };

/** `create_file`: the client takes a comment with the file's name off the first line. Source: createFileTool.tsx. */
export const createTool = changeTool({
  kind: "write",
  path: ["filePath"],
  outcomeOf: changeOutcome,
  changeText: (input) => {
    const name = baseNameOf(textArgument(input, "filePath") ?? "");
    const [first = ""] = (wholeText(input, "content") ?? "").split("\n", 1);
    return name === "" || first.includes(name) ? null : contentOf(input, "content", true);
  },
});

/** `replace_string_in_file`: a text for a text, which the client may correct. Source: replaceStringTool.tsx. */
export const replaceTool = changeTool({
  kind: "edit",
  path: ["filePath"],
  outcomeOf: changeOutcome,
  changeText: (input, text) => (isHealed(text) ? null : replacementsIn([input], NAMES)),
});

/** `insert_edit_into_file`: code that a model works into the file, so the call does not state the change. */
export const insertTool = changeTool({ kind: "edit", path: ["filePath"], outcomeOf: changeOutcome });

/** `edit_notebook_file`: what fails, fails with words. */
export const notebookTool = changeTool({ kind: "edit", path: ["filePath"], outcomeOf: calledOutcome });

/** `multi_replace_string_in_file`: replacements in one file or several, of which the answer lists those changed. Source: multiReplaceStringTool.tsx. */
export const multiReplaceTool: Tool = {
  meaningOf: ({ input, text }) => {
    const paths = pathsIn(input);
    const changed = paths.length === 1 ? paths : paths.filter((path) => isChangedFile(text, path));
    return {
      kind: "edit",
      path: paths.length === 1 ? (paths[0] ?? null) : null,
      outcome: changeOutcome(text),
      changes: changed.map((path) => ({ kind: "edit", path, source: "tool" })),
    };
  },
  changeText: (input, text) => {
    const isWhole = pathsIn(input).length === 1 && !isHealed(text);
    return isWhole ? replacementsIn(listArgument(input, "replacements"), NAMES) : null;
  },
};

function pathsIn(input: JsonValue): readonly string[] {
  const paths = listArgument(input, "replacements").map((one) => textArgument(one, "filePath"));
  return [...new Set(paths.filter((path) => path !== null))];
}
