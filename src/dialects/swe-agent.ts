import type { Outcome } from "../model/acquisition.ts";
import type { Dialect } from "../model/ports.ts";
import type { RequestHeader } from "../model/transcript.ts";
import { hasComplaint } from "./shell-output.ts";
import { observedText, printedOutput } from "./swe-agent/observations.ts";
import { createTool, showTool, windowedEditTool } from "./swe-agent/windowed-tools.ts";
import { editorTool } from "./text-editor/editor-tool.ts";
import { isNumberedListing, numberedLines, numberedOutcome } from "./text-editor/numbered-view.ts";
import { askingTool, runTool } from "./tools/plain-tools.ts";
import type { Tool } from "./tools/tool.ts";
import { toDialect } from "./tools/tool-dialect.ts";
import { firstDirectory, isPlainText } from "./tools/user-texts.ts";

const OWN_WORDS =
  "You are an autonomous programmer, and you're working directly in the command line with a special interface.";
const WORKING_DIRECTORY = /(?:^|\n)\(Current directory: (\/[^\n]*)\)/;
const COMPANIONS = ["open", "goto", "find_file", "search_dir", "str_replace_editor"];

/** Its version of the editor turns every tab of the file into spaces, so that no replacement is all of a change. */
const editor = editorTool({
  outcomeOf: (command, text) => numberedOutcome(command, observedText(text)),
  isListing: (text) => isNumberedListing(observedText(text)),
  printedOf: (text, window, mediaCount) => numberedLines(observedText(text), window, mediaCount),
  statesReplacements: false,
  createsNew: true,
});

const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ["str_replace_editor", editor],
  ["open", showTool],
  ["goto", showTool],
  ["scroll_up", showTool],
  ["scroll_down", showTool],
  ["edit", windowedEditTool],
  ["insert", windowedEditTool],
  ["create", createTool],
  ["bash", runTool({ command: ["command"], directory: [], outcomeOf: commandOutcome, outputOf: printedOutput })],
  ["find_file", askingTool("search", ["file_name"])],
  ["search_file", askingTool("search", ["search_term"])],
  ["search_dir", askingTool("search", ["search_term"])],
]);

/**
 * SWE-agent with function calls: a shell, and the windowed tools or the editor. Its commands come without an exit code, so that a
 * program's complaint tells of a failure. Source:
 * SWE-agent/SWE-agent, tools/edit_anthropic/bin/str_replace_editor, tools/windowed, config/default.yaml.
 */
export function createSweAgentDialect(): Dialect {
  return toDialect({
    name: "swe-agent",
    toolOf: (name) => TOOLS.get(name),
    recognises,
    isTyped: (text) => isPlainText(text) && !text.startsWith("OBSERVATION:"),
    isSummary: () => false,
    workingDirectoryOf: (texts) => firstDirectory(texts, WORKING_DIRECTORY),
    readsThroughShell: true,
  });
}

function recognises({ toolNames, systemTexts }: RequestHeader): boolean {
  if (systemTexts.some((text) => text.includes(OWN_WORDS))) return true;
  const has = (name: string) => toolNames.includes(name);
  return has("bash") && has("submit") && COMPANIONS.some(has);
}

function commandOutcome(text: string): Outcome {
  return hasComplaint(observedText(text)) ? "failed" : "ok";
}
