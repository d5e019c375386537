import type { Outcome, Window } from "../../model/acquisition.ts";
import type { JsonValue } from "../../model/json.ts";
import { isSet, listArgument, textArgument, wholeArgument } from "../call-input.ts";
import { isCut } from "../shell-output.ts";
import { changeTool, readTool, renameTool } from "../tools/file-tools.ts";
import { contentOutcome } from "../tools/outcomes.ts";
import { askingTool } from "../tools/plain-tools.ts";
import { contentOf, replacementsIn } from "../tools/replacements.ts";
import { otherTool, type Tool } from "../tools/tool.ts";
import { firstText } from "../tools/values.ts";
import { partWindow, WHOLE_FILE } from "../tools/windows.ts";

const NAMES = { from: "oldText", to: "newText", all: null };
const DIFF = /^\s*`{3,}diff\n/;

/** The content comes without numbers: what was asked for is what is printed, unless a client cut it. */
const read: Tool = {
  meaningOf: ({ callId, input, text }) => ({
    kind: "read",
    path: firstText(input, ["path"]),
    outcome: contentOutcome(text),
    window: isCut(text) ? partWindow(`output of ${callId}`) : windowOf(input),
  }),
};

/** Several files in one answer are the read of none of them. */
const readMultiple: Tool = {
  meaningOf: ({ callId, input, text }) => {
    const [only, ...more] = listArgument(input, "paths");
    if (typeof only !== "string" || only === "" || more.length > 0) return { kind: "read" };
    const outcome = text.startsWith(`${only}: Error`) ? "failed" : contentOutcome(text);
    return { kind: "read", path: only, outcome, window: isCut(text) ? partWindow(`output of ${callId}`) : WHOLE_FILE };
  },
};

/** Tools of the filesystem server of the Model Context Protocol. Source: modelcontextprotocol/servers, src/filesystem/index.ts. */
export const MCP_FILE_TOOLS: ReadonlyMap<string, Tool> = new Map([
  ["read_file", read],
  ["read_text_file", read],
  [
    "read_media_file",
    readTool({ path: ["path"], windowOf: () => partWindow("media"), printedOf: () => null, outcomeOf: contentOutcome }),
  ],
  ["read_multiple_files", readMultiple],
  [
    "write_file",
    changeTool({
      kind: "write",
      path: ["path"],
      outcomeOf: (text) => successBy("Successfully wrote to ", text),
      changeText: (input) => contentOf(input, "content", false),
    }),
  ],
  [
    "edit_file",
    changeTool({
      kind: "edit",
      path: ["path"],
      outcomeOf: (text, input) => (DIFF.test(text) && !isSet(input, "dryRun") ? "ok" : "failed"),
      changeText: (input) => (isSet(input, "dryRun") ? null : replacementsIn(listArgument(input, "edits"), NAMES)),
    }),
  ],
  [
    "move_file",
    renameTool({ from: ["source"], to: ["destination"], outcomeOf: (text) => successBy("Successfully moved ", text) }),
  ],
  ["search_files", askingTool("search", ["pattern"])],
  ["list_directory", askingTool("search", ["path"])],
  ["list_directory_with_sizes", askingTool("search", ["path"])],
  ["directory_tree", askingTool("search", ["path"])],
  ["get_file_info", otherTool],
  ["create_directory", otherTool],
  ["list_allowed_directories", otherTool],
]);

/** The first or the last lines, or all; where the last ones lie only the file knows. */
function windowOf(input: JsonValue): Window {
  const tail = wholeArgument(input, "tail");
  if (tail !== null && tail > 0) return partWindow(`last ${tail} lines`);
  const head = wholeArgument(input, "head");
  return head !== null && head > 0 ? { start: 1, end: head, part: null } : WHOLE_FILE;
}

function successBy(words: string, text: string): Outcome {
  return text.startsWith(words) ? "ok" : "failed";
}

/** True where the arguments are those of the server's tool of this name, so that a tool of another server is told apart. */
export function isMcpFileInput(name: string, input: JsonValue): boolean {
  if (name === "read_multiple_files") return listArgument(input, "paths").length > 0;
  if (name === "move_file") return textArgument(input, "source") !== null;
  if (name === "edit_file") return listArgument(input, "edits").length > 0;
  return textArgument(input, "path") !== null || name === "list_allowed_directories";
}
