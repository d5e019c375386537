import type { Outcome } from "../../model/acquisition.ts";
import { changeTool } from "../tools/file-tools.ts";
import { firstRow, rowRange } from "../tools/rows.ts";
import type { Tool } from "../tools/tool.ts";
import { firstText } from "../tools/values.ts";
import { directoryBehind, observedText } from "./observations.ts";

const ROWS = { prefix: "", separator: ":" };
const HEAD_LINES = 4;
const SHOWN = /^\[File: (.+) \(\d+ lines total\)\]/m;
const EDITED = /^(?:File updated\.|Text replaced\.|Text inserted)/;

/**
 * `open`, `goto` and scrolling: they show some lines of the open file, which the answer names. Source: SWE-agent/SWE-agent,
 * tools/windowed.
 */
export const showTool: Tool = {
  meaningOf: ({ input, text }) => {
    const shown = observedText(text);
    const path = SHOWN.exec(shown)?.[1];
    const start = firstRow(shown, ROWS, HEAD_LINES);
    const printed = start === null ? null : rowRange(shown, start, ROWS);
    if (path === undefined || printed === null)
      return { kind: "read", path: firstText(input, ["path"]), outcome: failed(text) };
    return {
      kind: "read",
      path,
      workingDirectory: directoryBehind(text),
      window: { start: printed.start, end: printed.end, part: null },
      printed,
    };
  },
};

/** `edit` and `insert`: they change the open file, which the answer names. Source: SWE-agent/SWE-agent, tools/windowed_edit_linting. */
export const windowedEditTool: Tool = {
  meaningOf: ({ text }) => {
    const observed = observedText(text);
    const path = EDITED.test(observed) ? SHOWN.exec(observed)?.[1] : undefined;
    if (path === undefined) return { kind: "edit", outcome: failed(text) };
    return {
      kind: "edit",
      path,
      workingDirectory: directoryBehind(text),
      changes: [{ kind: "edit", path, source: "tool" }],
    };
  },
};

/** `create`: a new file, opened. */
export const createTool: Tool = changeTool({
  kind: "write",
  path: ["filename"],
  outcomeOf: (text) => (SHOWN.test(observedText(text)) ? "ok" : "failed"),
});

/** A call without an answer has not failed. */
function failed(text: string): Outcome {
  return text === "" ? "missing" : "failed";
}
