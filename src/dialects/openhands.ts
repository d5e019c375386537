import type { LineRange, Outcome, Window } from "../model/acquisition.ts";
import type { Dialect } from "../model/ports.ts";
import type { RequestHeader } from "../model/transcript.ts";
import { isSet } from "./call-input.ts";
import { editorTool } from "./text-editor/editor-tool.ts";
import { isNumberedListing, numberedLines, numberedOutcome } from "./text-editor/numbered-view.ts";
import { askingTool, runTool } from "./tools/plain-tools.ts";
import type { Tool } from "./tools/tool.ts";
import { toDialect } from "./tools/tool-dialect.ts";
import { firstDirectory, isPlainText } from "./tools/user-texts.ts";

const OWN_WORDS = "You are OpenHands agent";
const EDITORS = ["file_editor", "str_replace_editor"];
const TERMINALS = ["terminal", "execute_bash"];
const CONTINUATION = "Please continue working on the task on whatever approach you think is suitable.";
const WORKING_DIRECTORY = /(?:^|\n)(?:The c|C)urrent working directory(?: is|:) (\/[^\n]*?)\.?\s*(?:\n|$)/;
const EXIT_CODE = /\[(?:Command finished|The command completed) with exit code (-?\d+)\.?\]/g;
/** What the terminal of the SDK puts behind an output. */
const OUTPUT_END = /\n\[The command completed with exit code 0\.\]\n\[Current working directory: /;
const CUT_OUTPUT =
  /<response clipped>|\[Previous command outputs are truncated|\[Below is the output of the previous command/;

const editor = editorTool({
  outcomeOf: numberedOutcome,
  isListing: isNumberedListing,
  printedOf: (text: string, window: Window, mediaCount: number): LineRange | null =>
    numberedLines(text, window, mediaCount),
  statesReplacements: true,
  createsNew: true,
});

/** An input for a program that runs is no command, and neither is the wait for more of an output. */
const terminal = runTool({
  command: ["command"],
  directory: [],
  outcomeOf: terminalOutcome,
  outputOf,
  isCommand: (input) => !isSet(input, "is_input"),
});

const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ...EDITORS.map((name) => [name, editor] as const),
  ...TERMINALS.map((name) => [name, terminal] as const),
  ["grep", askingTool("search", ["pattern"])],
  ["glob", askingTool("search", ["pattern"])],
]);

/**
 * OpenHands, its application and its SDK. Source: OpenHands/software-agent-sdk,
 * openhands-tools/openhands/tools/file_editor/editor.py and terminal/definition.py.
 */
export function createOpenHandsDialect(): Dialect {
  return toDialect({
    name: "openhands",
    toolOf: (name) => TOOLS.get(name),
    recognises,
    isTyped: (text) => isPlainText(text) && !text.startsWith(CONTINUATION),
    isSummary: () => false,
    workingDirectoryOf: (texts) => firstDirectory(texts, WORKING_DIRECTORY),
  });
}

function recognises({ toolNames, systemTexts }: RequestHeader): boolean {
  if (systemTexts.some((text) => text.includes(OWN_WORDS))) return true;
  const has = (names: readonly string[]) => names.some((name) => toolNames.includes(name));
  return has(EDITORS) && has(TERMINALS);
}

/** The last code counts, since a command may print the words as well; -1: it still runs. */
function terminalOutcome(text: string): Outcome {
  const code = [...text.matchAll(EXIT_CODE)].at(-1)?.[1];
  if (code === "-1") return "missing";
  return code === undefined || code === "0" ? "ok" : "failed";
}

function outputOf(text: string): string | null {
  const end = OUTPUT_END.exec(text);
  return end === null || CUT_OUTPUT.test(text) ? null : text.slice(0, end.index);
}
