import type { LineRange, Window } from "../model/acquisition.ts";
import type { Dialect } from "../model/ports.ts";
import { editorTool } from "./text-editor/editor-tool.ts";
import { isNumberedListing, numberedLines } from "./text-editor/numbered-view.ts";
import { beginsAsError, changeOutcome, contentOutcome } from "./tools/outcomes.ts";
import { runTool, unknownOutput } from "./tools/plain-tools.ts";
import { firstRow, rowRange } from "./tools/rows.ts";
import type { Tool } from "./tools/tool.ts";
import { toDialect } from "./tools/tool-dialect.ts";
import { isPlainText } from "./tools/user-texts.ts";

const COLON_ROWS = { prefix: "", separator: ": " };
const EDITORS = ["str_replace_based_edit_tool", "str_replace_editor"];

/** Whoever offers the editor writes its answers, so failures are known by the API's word or by common ones. */
const editor = editorTool({
  outcomeOf: (command, text) => (command === "view" ? contentOutcome(text) : changeOutcome(text)),
  isListing: isNumberedListing,
  printedOf,
  statesReplacements: true,
  createsNew: false,
});

const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ...EDITORS.map((name) => [name, editor] as const),
  [
    "bash",
    runTool({
      command: ["command"],
      directory: [],
      outcomeOf: (text) => (beginsAsError(text) ? "failed" : "ok"),
      outputOf: unknownOutput,
    }),
  ],
]);

/**
 * Any program that offers the text editor tool of Anthropic's API by itself. Source:
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/text-editor-tool
 */
export function createTextEditorDialect(): Dialect {
  return toDialect({
    name: "text-editor",
    toolOf: (name) => TOOLS.get(name),
    recognises: ({ toolNames }) => EDITORS.some((name) => toolNames.includes(name)),
    isTyped: isPlainText,
    isSummary: () => false,
    workingDirectoryOf: () => null,
  });
}

/** Lines by their numbers where there are any (`N: ` as documented, or `cat -n`); a text without numbers is what was asked for. */
function printedOf(text: string, window: Window, mediaCount: number): LineRange | null {
  const start = firstRow(text, COLON_ROWS, 1);
  const rows = start === null ? numberedLines(text, window, 1) : rowRange(text, start, COLON_ROWS);
  return mediaCount > 0 || rows?.start !== window.start ? null : rows;
}
