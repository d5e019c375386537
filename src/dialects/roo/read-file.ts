import type { LineRange, Window } from "../../model/acquisition.ts";
import type { JsonValue } from "../../model/json.ts";
import { listArgument, textArgument } from "../call-input.ts";
import { noLines } from "../line-window.ts";
import { firstRow, rowRange } from "../tools/rows.ts";
import type { Tool } from "../tools/tool.ts";
import { isListValue, memberOf } from "../tools/values.ts";
import { countedWindow, inclusiveWindow, partWindow, WHOLE_FILE } from "../tools/windows.ts";
import { readOutcome } from "./results.ts";

const ROWS = { prefix: "", separator: " | " };
/** File name, notice of a cut file, range: the first line stands below them. */
const HEAD_LINES = 10;
const RANGE = { offset: "offset", limit: "limit", firstLine: 1, limitDefault: 2000 } as const;

/**
 * `read_file`: one file with an offset and a limit, or the block around a line; earlier a list of files with ranges, of which a
 * call for several names none. Source: RooCodeInc/Roo-Code, src/core/prompts/tools/native-tools/read_file.ts and
 * src/core/tools/ReadFileTool.ts.
 */
export const readFileTool: Tool = {
  meaningOf: ({ input, text, mediaCount }) => {
    const outcome = readOutcome(text);
    const files = listArgument(input, "files");
    const [only] = files;
    const path = textArgument(files.length === 0 ? input : (only ?? null), "path");
    if (files.length > 1 || path === null) return { kind: "read", outcome };
    const window = only === undefined ? windowOf(input) : rangesWindow(only);
    return { kind: "read", outcome, path, window, printed: printedLines(text, window, mediaCount) };
  },
};

function windowOf(input: JsonValue): Window {
  if (textArgument(input, "mode") !== "indentation") return countedWindow(input, RANGE);
  return partWindow(`block ${JSON.stringify(memberOf(input, "indentation") ?? null)}`);
}

function rangesWindow(file: JsonValue): Window {
  const ranges = listArgument(file, "line_ranges");
  const [only] = ranges;
  if (only === undefined) return WHOLE_FILE;
  if (ranges.length > 1) return partWindow(`ranges ${JSON.stringify(ranges)}`);
  const [start = null, end = null] = isListValue(only) ? only : [memberOf(only, "start"), memberOf(only, "end")];
  return inclusiveWindow(toLine(start), toLine(end));
}

function toLine(value: JsonValue | undefined): number | null {
  return Number.isSafeInteger(value) ? Number(value) : null;
}

function printedLines(text: string, window: Window, mediaCount: number): LineRange | null {
  const start = firstRow(text, ROWS, HEAD_LINES);
  if (start !== null) return rowRange(text, start, ROWS);
  return mediaCount > 0 ? null : noLines(window);
}
