import type { LineRange, Window } from "../../model/acquisition.ts";
import type { JsonValue } from "../../model/json.ts";
import { textArgument, wholeArgument } from "../call-input.ts";
import { noLines } from "../line-window.ts";
import { rowRange } from "../tools/rows.ts";
import type { Tool } from "../tools/tool.ts";
import { isListValue, memberOf } from "../tools/values.ts";
import { inclusiveWindow } from "../tools/windows.ts";
import { outcomeOfParts, partResultsIn } from "./results.ts";

const ROWS = { prefix: "", separator: " | " };
const LISTS = ["files", "file_paths", "paths"];

interface FileRequest {
  readonly path: string;
  readonly window: Window;
}

/**
 * `read_files`: one file or several, each with a range of lines, both ends shown. A call for several files names none. Source:
 * cline/cline, sdk/packages/core/src/extensions/tools/schemas.ts and executors/file-read.ts.
 */
export const readFilesTool: Tool = {
  meaningOf: ({ input, text }) => {
    const requests = requestsIn(input);
    const [only] = requests;
    const parts = partResultsIn(text);
    const outcome = outcomeOfParts(parts);
    if (requests.length !== 1 || only === undefined) return { kind: "read", outcome };
    return { kind: "read", outcome, ...only, printed: printedLines(parts[0]?.text ?? "", only.window) };
  },
};

function printedLines(text: string, window: Window): LineRange {
  return rowRange(text, 0, ROWS) ?? noLines(window);
}

/** A path, an object with one, or a list of them, also under one of the names that the tool takes. */
function requestsIn(input: JsonValue): readonly FileRequest[] {
  const listed = LISTS.map((name) => memberOf(input, name)).find((value) => value !== undefined);
  const given = listed ?? input;
  return (isListValue(given) ? given : [given]).map(requestOf).filter((request) => request !== null);
}

function requestOf(value: JsonValue): FileRequest | null {
  const path = typeof value === "string" ? value : textArgument(value, "path");
  if (path === null || path === "") return null;
  return { path, window: inclusiveWindow(wholeArgument(value, "start_line"), wholeArgument(value, "end_line")) };
}
