import type { LineRange, Outcome, Window } from "../model/acquisition.ts";
import type { JsonValue } from "../model/json.ts";
import type { Dialect } from "../model/ports.ts";
import type { RequestHeader } from "../model/transcript.ts";
import { isSet, wholeArgument, wholeText } from "./call-input.ts";
import { noLines } from "./line-window.ts";
import { changeTool, readTool, renameTool } from "./tools/file-tools.ts";
import { contentOutcome } from "./tools/outcomes.ts";
import { askingTool, runTool, unknownOutput } from "./tools/plain-tools.ts";
import { contentOf, replacementsIn } from "./tools/replacements.ts";
import { beforeCut, firstRow, rowRange } from "./tools/rows.ts";
import type { Tool } from "./tools/tool.ts";
import { toDialect } from "./tools/tool-dialect.ts";
import { isPlainText } from "./tools/user-texts.ts";
import { countedWindow } from "./tools/windows.ts";

const OWN_WORDS = "## Filesystem Tools `ls`, `read_file`";
const OWN_TOOLS = ["ls", "read_file", "write_file", "edit_file"];
const TOOLKIT = ["read_file", "write_file", "list_directory", "file_delete", "move_file"];
const TOOLKIT_MIN = 3;
const SUMMARIES = [
  "Here is a summary of the conversation to date:",
  "You are in the middle of a conversation that has been summarized.",
];
const ROWS = { prefix: "", separator: "\t", hasContinuations: true };
const CUT = "\n\n[Output was truncated due to size limits.";
const EMPTY = "System reminder: File exists but has empty contents";
/** Versions differ in how many lines they print without a limit, so that none is assumed. */
const RANGE = { offset: "offset", limit: "limit", firstLine: 0, limitDefault: null } as const;
const EXIT_CODE = /\[Command (?:succeeded|failed) with exit code (-?\d+)\]/;
const NAMES = { from: "old_string", to: "new_string", all: "replace_all" };

const write = changeTool({
  kind: "write",
  path: ["file_path"],
  outcomeOf: (text) => successBy(/^(?:Updated file |File written successfully to )/, text),
  changeText: (input) => {
    if (wholeText(input, "text") === null) return contentOf(input, "content", false);
    return isSet(input, "append") ? null : contentOf(input, "text", false);
  },
});

const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ["read_file", readTool({ path: ["file_path"], windowOf, printedOf, outcomeOf: contentOutcome })],
  ["write_file", write],
  [
    "edit_file",
    changeTool({
      kind: "edit",
      path: ["file_path"],
      outcomeOf: (text) => successBy(/^Successfully replaced \d+ instance/, text),
      changeText: (input) => replacementsIn([input], NAMES),
    }),
  ],
  ["delete", changeTool({ kind: "delete", path: ["file_path"], outcomeOf: (text) => successBy(/^Deleted /, text) })],
  [
    "file_delete",
    changeTool({
      kind: "delete",
      path: ["file_path"],
      outcomeOf: (text) => successBy(/^File deleted successfully: /, text),
    }),
  ],
  [
    "move_file",
    renameTool({
      from: ["source_path"],
      to: ["destination_path"],
      outcomeOf: (text) => successBy(/^File moved successfully from /, text),
    }),
  ],
  ["execute", runTool({ command: ["command"], directory: [], outcomeOf: executeOutcome, outputOf: unknownOutput })],
  ["ls", askingTool("search", ["path"])],
  ["glob", askingTool("search", ["pattern"])],
  ["grep", askingTool("search", ["pattern"])],
  ["list_directory", askingTool("search", ["dir_path"])],
  ["file_search", askingTool("search", ["pattern"])],
]);

/**
 * Agents on LangChain's file tools: those of deepagents, with offsets that count from 0, and the older toolkit. Source:
 * langchain-ai/deepagents, libs/deepagents/deepagents/middleware/filesystem.py; langchain-ai/langchain-community,
 * libs/community/langchain_community/tools/file_management.
 */
export function createLangChainDialect(): Dialect {
  return toDialect({
    name: "langchain",
    toolOf: (name) => TOOLS.get(name),
    recognises,
    isTyped: isPlainText,
    isSummary: (text) => SUMMARIES.some((words) => text.startsWith(words)),
    workingDirectoryOf: () => null,
  });
}

function recognises({ toolNames, systemTexts }: RequestHeader): boolean {
  if (systemTexts.some((text) => text.includes(OWN_WORDS))) return true;
  const has = (name: string) => toolNames.includes(name);
  return OWN_TOOLS.every(has) || (has("file_delete") && TOOLKIT.filter(has).length >= TOOLKIT_MIN);
}

function windowOf(input: JsonValue): Window {
  const offset = wholeArgument(input, "offset");
  return offset !== null && offset < 0 ? countedWindow({}, RANGE) : countedWindow(input, RANGE);
}

function printedOf(text: string, window: Window, mediaCount: number): LineRange | null {
  const whole = beforeCut(text, CUT);
  const start = firstRow(whole, ROWS, 1);
  if (start !== null) return rowRange(whole, start, ROWS);
  return mediaCount === 0 && (text.startsWith(EMPTY) || text !== whole) ? noLines(window) : null;
}

function successBy(words: RegExp, text: string): Outcome {
  return words.test(text) ? "ok" : "failed";
}

function executeOutcome(text: string): Outcome {
  const code = EXIT_CODE.exec(text)?.[1];
  return text.startsWith("Error: ") || (code !== undefined && code !== "0") ? "failed" : "ok";
}
