import type { Window } from "../../model/acquisition.ts";
import type { JsonValue } from "../../model/json.ts";
import { wholeArgument } from "../call-input.ts";
import { readTool } from "../tools/file-tools.ts";
import { printedLines, readOutcome } from "./results.ts";

const LINES_MAX = 2000;

/**
 * `read_file` in both versions. The first states both ends; the second an offset and a limit, and prints one line more than its
 * limit, 2000 at most. Source: microsoft/vscode-copilot-chat, src/extension/tools/node/readFileTool.tsx (getParamRanges).
 */
export const readFileTool = readTool({
  path: ["filePath"],
  windowOf,
  printedOf: printedLines,
  outcomeOf: readOutcome,
});

function windowOf(input: JsonValue): Window {
  const startLine = wholeArgument(input, "startLine");
  if (startLine !== null) return endsWindow(startLine, wholeArgument(input, "endLine"));
  const limit = wholeArgument(input, "limit");
  const more = limit === null || limit === 0 ? LINES_MAX - 1 : Math.min(Math.max(limit, 1), LINES_MAX - 1);
  const start = Math.max(1, wholeArgument(input, "offset") ?? 1);
  return { start, end: start + more, part: null };
}

/** The client puts ends in the wrong order right. */
function endsWindow(one: number, other: number | null): Window {
  const first = Math.max(1, one);
  if (other === null) return { start: first, end: null, part: null };
  const last = Math.max(1, other);
  return { start: Math.min(first, last), end: Math.max(first, last), part: null };
}
