import type { Dialect } from "../model/ports.ts";
import type { RequestHeader } from "../model/transcript.ts";
import { diffTool, replaceTool, writeTool } from "./roo/changes.ts";
import { readFileTool } from "./roo/read-file.ts";
import { changeOutcome, commandOutcome } from "./roo/results.ts";
import { withoutTags } from "./tagged-text.ts";
import { patchTool } from "./tools/patch-tool.ts";
import { askingTool, runTool, unknownOutput } from "./tools/plain-tools.ts";
import type { Tool } from "./tools/tool.ts";
import { toDialect } from "./tools/tool-dialect.ts";
import { firstDirectory } from "./tools/user-texts.ts";

const OWN_TOOLS = ["read_file", "apply_diff", "write_to_file", "execute_command", "attempt_completion"];
const OWN_WORDS = "You are Roo,";
const SUMMARY = "## Conversation Summary\n";
const CLIENT_TEXTS = ["[ERROR] You did not use a tool", "[TASK RESUMPTION]"];
const CLIENT_TAGS = ["environment_details"];
const WORKING_DIRECTORY =
  /(?:^|\n)(?:# Current Workspace Directory \(([^\n]+)\) Files|Current Workspace Directory: ([^\n]+))/;

const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ["read_file", readFileTool],
  ["write_to_file", writeTool],
  ["apply_diff", diffTool],
  ["edit", replaceTool],
  ["edit_file", replaceTool],
  ["search_replace", replaceTool],
  ["search_and_replace", replaceTool],
  ["apply_patch", patchTool(["patch"], changeOutcome)],
  [
    "execute_command",
    runTool({ command: ["command"], directory: ["cwd"], outcomeOf: commandOutcome, outputOf: unknownOutput }),
  ],
  ["search_files", askingTool("search", ["regex"])],
  ["codebase_search", askingTool("search", ["query"])],
  ["list_files", askingTool("search", ["path"])],
]);

/** Roo Code with native tool calls. Tools it wrote as XML in its text are text of the model, and no tool calls. */
export function createRooDialect(): Dialect {
  return toDialect({
    name: "roo",
    toolOf: (name) => TOOLS.get(name),
    recognises,
    isTyped,
    isSummary: (text) => text.startsWith(SUMMARY),
    workingDirectoryOf: (texts) => firstDirectory(texts, WORKING_DIRECTORY),
  });
}

function recognises({ toolNames, systemTexts }: RequestHeader, userAgent: string | null): boolean {
  if (userAgent !== null && /^RooCode\//.test(userAgent)) return true;
  if (systemTexts.some((text) => text.includes(OWN_WORDS))) return true;
  return OWN_TOOLS.every((name) => toolNames.includes(name));
}

function isTyped(text: string): boolean {
  const rest = withoutTags(text, CLIENT_TAGS);
  return rest !== "" && !CLIENT_TEXTS.some((words) => rest.startsWith(words));
}
