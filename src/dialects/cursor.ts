import type { LineRange, Outcome, Window } from "../model/acquisition.ts";
import type { JsonValue } from "../model/json.ts";
import type { Dialect } from "../model/ports.ts";
import type { RequestHeader } from "../model/transcript.ts";
import { isSet, listArgument, wholeArgument } from "./call-input.ts";
import { noLines } from "./line-window.ts";
import { changeTool, readTool } from "./tools/file-tools.ts";
import { beginsAsError, changeOutcome, contentOutcome } from "./tools/outcomes.ts";
import { askingTool, runTool, unknownOutput } from "./tools/plain-tools.ts";
import { contentOf, replacementsIn } from "./tools/replacements.ts";
import { firstRow, rowRange } from "./tools/rows.ts";
import type { Tool } from "./tools/tool.ts";
import { toDialect } from "./tools/tool-dialect.ts";
import { isPlainText } from "./tools/user-texts.ts";
import { countedWindow, inclusiveWindow, partWindow, WHOLE_FILE } from "./tools/windows.ts";

const OWN_WORDS = ["You operate in Cursor", "powered by Cursor", "operate exclusively in Cursor"];
const OWN_TOOLS = [
  ["run_terminal_cmd", "read_file"],
  ["StrReplace", "Shell"],
];
const PATHS = ["target_file", "file_path", "path"];
const ROWS = { prefix: "", separator: "|" };
const HEAD_LINES = 3;
const RANGE = { offset: "offset", limit: "limit", firstLine: 1, limitDefault: null } as const;
const OLDER_LINES_MAX = 250;
const TYPED = /<user_query>/;
const NAMES = { from: "old_string", to: "new_string", all: "replace_all" };

const read = readTool({
  path: PATHS,
  windowOf,
  printedOf,
  outcomeOf: (text) => (firstRow(text, ROWS, HEAD_LINES) === null ? contentOutcome(text) : "ok"),
});
const replace = change("edit", (input) => replacementsIn([input], NAMES));
const write = change("write", (input) => contentOf(input, "contents", false) ?? contentOf(input, "content", false));
const shell = runTool({
  command: ["command"],
  directory: ["working_directory"],
  outcomeOf: shellOutcome,
  outputOf: unknownOutput,
});
const grep = askingTool("search", ["pattern", "query"]);
const glob = askingTool("search", ["glob_pattern", "query"]);
const list = askingTool("search", ["target_directory", "relative_workspace_path"]);

const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ["read_file", read],
  ["Read", read],
  ["edit_file", change("edit", () => null)],
  ["search_replace", replace],
  ["StrReplace", replace],
  ["MultiEdit", change("edit", (input) => replacementsIn(listArgument(input, "edits"), NAMES))],
  ["write", write],
  ["Write", write],
  ["delete_file", change("delete", () => null)],
  ["Delete", change("delete", () => null)],
  ["run_terminal_cmd", shell],
  ["Shell", shell],
  ["grep", grep],
  ["Grep", grep],
  ["grep_search", grep],
  ["codebase_search", askingTool("search", ["query"])],
  ["file_search", glob],
  ["glob_file_search", glob],
  ["Glob", glob],
  ["list_dir", list],
  ["LS", list],
  ["web_search", askingTool("fetch", ["search_term"])],
  ["WebSearch", askingTool("fetch", ["search_term"])],
]);

/**
 * Cursor, by the names and arguments of its tools that are public. Its answers are not documented, so failures are known by
 * common words, and lines by the form `LINE_NUMBER|LINE_CONTENT` that its prompt names.
 */
export function createCursorDialect(): Dialect {
  return toDialect({
    name: "cursor",
    toolOf: (name) => TOOLS.get(name),
    recognises,
    isTyped: (text) => TYPED.test(text) || isPlainText(text),
    isSummary: () => false,
    workingDirectoryOf: () => null,
  });
}

function recognises({ toolNames, systemTexts }: RequestHeader): boolean {
  if (systemTexts.some((text) => OWN_WORDS.some((words) => text.includes(words)))) return true;
  return OWN_TOOLS.some((names) => names.every((name) => toolNames.includes(name)));
}

function change(
  kind: "edit" | "write" | "delete",
  changeText: (input: JsonValue) => ReturnType<typeof contentOf>,
): Tool {
  return changeTool({ kind, path: PATHS, outcomeOf: changeOutcome, changeText });
}

/** The older form states both ends, unless it asks for everything; the newer one may count from the end. */
function windowOf(input: JsonValue): Window {
  const start = wholeArgument(input, "start_line_one_indexed");
  if (start !== null && !isSet(input, "should_read_entire_file")) {
    const end = wholeArgument(input, "end_line_one_indexed_inclusive");
    return inclusiveWindow(start, end === null ? null : Math.min(end, Math.max(1, start) + OLDER_LINES_MAX - 1));
  }
  if (start !== null || isSet(input, "should_read_entire_file")) return WHOLE_FILE;
  const offset = wholeArgument(input, "offset");
  return offset !== null && offset < 0
    ? partWindow(`offset ${offset} limit ${wholeArgument(input, "limit")}`)
    : countedWindow(input, RANGE);
}

function printedOf(text: string, window: Window, mediaCount: number): LineRange | null {
  const start = firstRow(text, ROWS, HEAD_LINES);
  if (start !== null) return rowRange(text, start, ROWS);
  return mediaCount > 0 || text !== "File is empty." ? null : noLines(window);
}

function shellOutcome(text: string): Outcome {
  const code = /Exit code: (-?\d+)/.exec(text)?.[1];
  if (/rejected|did not approve/i.test(text.slice(0, 200)) && code === undefined) return "interrupted";
  return (code !== undefined && code !== "0") || (code === undefined && beginsAsError(text)) ? "failed" : "ok";
}
