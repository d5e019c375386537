import type { LineRange, Outcome, Window } from "../../model/acquisition.ts";
import type { JsonValue } from "../../model/json.ts";
import { wholeArgument } from "../call-input.ts";
import { noLines } from "../line-window.ts";
import { wholeOutput } from "../shell-output.ts";
import { changeTool, readTool, renameTool } from "../tools/file-tools.ts";
import { beginsAsError, changeOutcome, contentOutcome } from "../tools/outcomes.ts";
import { askingTool, runTool, unknownOutput } from "../tools/plain-tools.ts";
import { contentOf, replacementsIn } from "../tools/replacements.ts";
import { firstRow, type RowForm, rowRange } from "../tools/rows.ts";
import { otherTool, type Tool } from "../tools/tool.ts";
import { countedWindow, inclusiveWindow, pairWindow, WHOLE_FILE } from "../tools/windows.ts";
import type { DescribedRange, DescribedTool } from "./description.ts";

/** Lines of a head that may stand above the first numbered one. */
const HEAD_LINES = 8;

/** The tool that a description describes. */
export function describedTool(described: DescribedTool): Tool {
  const { kind, path } = described;
  switch (kind) {
    case "read":
      return readTool({
        path,
        windowOf: (input) => windowOf(input, described.range),
        printedOf: (text, window, mediaCount) => printedOf(text, window, mediaCount, described.rows),
        outcomeOf: (text) => outcomeOf(text, described, contentOutcome),
      });
    case "edit":
    case "write":
    case "delete":
      return changeTool({
        kind,
        path,
        outcomeOf: (text) => outcomeOf(text, described, changeOutcome),
        changeText: (input) => statedChange(input, described),
      });
    case "rename":
      return renameTool({
        from: path,
        to: described.to,
        outcomeOf: (text) => outcomeOf(text, described, changeOutcome),
      });
    case "run":
      return runTool({
        command: described.command,
        directory: [],
        outcomeOf: (text) => outcomeOf(text, described, commandOutcome),
        outputOf: described.isRawOutput ? wholeOutput : unknownOutput,
      });
    case "search":
    case "fetch":
      return askingTool(kind, described.command);
    case "other":
      return otherTool;
  }
}

function windowOf(input: JsonValue, range: DescribedRange | null): Window {
  switch (range?.form) {
    case undefined:
      return WHOLE_FILE;
    case "counted":
      return countedWindow(input, { ...range, offset: range.offset ?? "", limit: range.limit ?? "" });
    case "ends":
      return inclusiveWindow(lineAt(input, range.start), lineAt(input, range.end));
    case "pair":
      return pairWindow(input, range.pair);
  }
}

function lineAt(input: JsonValue, name: string | null): number | null {
  return name === null ? null : wholeArgument(input, name);
}

/** Where lines are numbered, an answer without any printed none. */
function printedOf(text: string, window: Window, mediaCount: number, rows: RowForm | null): LineRange | null {
  if (rows === null) return null;
  const start = firstRow(text, rows, HEAD_LINES);
  if (start !== null) return rowRange(text, start, rows);
  return mediaCount > 0 ? null : noLines(window);
}

function outcomeOf(text: string, { success, failure }: DescribedTool, usual: (text: string) => Outcome): Outcome {
  if (failure.some((words) => text.startsWith(words))) return "failed";
  if (success.length > 0) return success.some((words) => text.startsWith(words)) ? "ok" : "failed";
  return usual(text);
}

function commandOutcome(text: string): Outcome {
  return beginsAsError(text) ? "failed" : "ok";
}

function statedChange(input: JsonValue, { kind, replace, content }: DescribedTool) {
  if (kind === "edit" && replace !== null) return replacementsIn([input], replace);
  return kind === "write" && content !== null ? contentOf(input, content, false) : null;
}
