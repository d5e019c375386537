import type { Outcome } from "../model/acquisition.ts";
import type { JsonValue } from "../model/json.ts";
import type { Dialect } from "../model/ports.ts";
import type { RequestHeader } from "../model/transcript.ts";
import { isSet } from "./call-input.ts";
import { patchTool } from "./tools/patch-tool.ts";
import { askingTool, runTool, unknownOutput } from "./tools/plain-tools.ts";
import type { Tool } from "./tools/tool.ts";
import { toDialect } from "./tools/tool-dialect.ts";
import { firstDirectory } from "./tools/user-texts.ts";
import { createTool, insertTool, multiReplaceTool, notebookTool, replaceTool } from "./vscode-copilot/changes.ts";
import { readFileTool } from "./vscode-copilot/read-file.ts";
import { calledOutcome, changeOutcome } from "./vscode-copilot/results.ts";

const USER_AGENT = /^GitHubCopilotChat\//;
const OWN_WORDS = "working with a user in the VS Code editor";
const OWN_TOOLS = ["read_file", "run_in_terminal", "get_errors", "insert_edit_into_file", "replace_string_in_file"];
const OWN_TOOLS_MIN = 3;
const TYPED = /<(?:userRequest|prompt)>/;
const SUMMARY = "<conversation-summary>";
/** Of several folders none is the working directory. */
const ONE_FOLDER = /workspace with the following folders:\s*\n\s*- ([^\n]+?)[ \t]*(?:\n(?!\s*- )|$)/;
const EXIT_CODE = /(?:^|\n)Command exited with code (\d+)/;

const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ["read_file", readFileTool],
  ["create_file", createTool],
  ["replace_string_in_file", replaceTool],
  ["multi_replace_string_in_file", multiReplaceTool],
  ["insert_edit_into_file", insertTool],
  ["edit_notebook_file", notebookTool],
  ["apply_patch", patchTool(["input"], changeOutcome)],
  [
    "run_in_terminal",
    runTool({ command: ["command"], directory: [], outcomeOf: terminalOutcome, outputOf: unknownOutput }),
  ],
  ["grep_search", askingTool("search", ["query"])],
  ["file_search", askingTool("search", ["query"])],
  ["semantic_search", askingTool("search", ["query"])],
  ["list_dir", askingTool("search", ["path"])],
  ["fetch_webpage", askingTool("fetch", ["query"])],
]);

/** Copilot's agent in VS Code. Source: microsoft/vscode-copilot-chat, src/extension/tools/common/toolNames.ts. */
export function createVsCodeCopilotDialect(): Dialect {
  return toDialect({
    name: "vscode-copilot",
    toolOf: (name) => TOOLS.get(name),
    recognises,
    isTyped: (text) => TYPED.test(text) || (text.trim() !== "" && !text.trimStart().startsWith("<")),
    isSummary: (text) => text.trimStart().startsWith(SUMMARY) && !TYPED.test(text),
    workingDirectoryOf: (texts) => firstDirectory(texts, ONE_FOLDER),
  });
}

function recognises({ toolNames, systemTexts }: RequestHeader, userAgent: string | null): boolean {
  if (userAgent !== null && USER_AGENT.test(userAgent)) return true;
  if (systemTexts.some((text) => text.includes(OWN_WORDS))) return true;
  return (
    toolNames.includes("read_file") && OWN_TOOLS.filter((name) => toolNames.includes(name)).length >= OWN_TOOLS_MIN
  );
}

function terminalOutcome(text: string, input: JsonValue): Outcome {
  const called = calledOutcome(text);
  if (called !== "ok") return called;
  if (isSet(input, "isBackground")) return "missing";
  const code = EXIT_CODE.exec(text)?.[1];
  return code === undefined || code === "0" ? "ok" : "failed";
}
