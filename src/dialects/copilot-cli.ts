import type { Outcome } from "../model/acquisition.ts";
import type { Dialect } from "../model/ports.ts";
import type { RequestHeader } from "../model/transcript.ts";
import { withoutTags } from "./tagged-text.ts";
import { changeTool } from "./tools/file-tools.ts";
import { askingTool, runTool } from "./tools/plain-tools.ts";
import { contentOf, replacementsIn } from "./tools/replacements.ts";
import { rowRange } from "./tools/rows.ts";
import type { Tool } from "./tools/tool.ts";
import { toDialect } from "./tools/tool-dialect.ts";
import { firstDirectory } from "./tools/user-texts.ts";
import { firstText } from "./tools/values.ts";
import { pairWindow } from "./tools/windows.ts";

const USER_AGENT = /^copilot(?:-cli)?\//i;
const OWN_WORDS = "You are the GitHub Copilot CLI";
const OWN_TOOLS = ["view", "bash", "report_intent"];
const ROWS = { prefix: "", separator: ". " };
const CLIENT_TAGS = ["current_datetime", "reminder", "system_reminder", "system_notification"];
const CONTINUATION = "You have not yet marked the task as complete using the task_complete tool.";
const WORKING_DIRECTORY = /(?:^|\n)\* Current working directory:[ \t]*(\S[^\n]*)/;
const EXIT_CODE = /\n?<(?:shellId: \S+ completed with|exited with) exit code (-?\d+)>\s*$/;
const CUT_OUTPUT = /<output too (?:long|large)|Output too large/;
const REFUSED = /^The user rejected this tool call|^Permission denied and could not request permission/;

const viewTool: Tool = {
  meaningOf: ({ input, text, mediaCount }) => {
    const path = firstText(input, ["path"]);
    const window = pairWindow(input, "view_range");
    const range = rowRange(text, 0, ROWS);
    const printed = range?.start === window.start ? range : null;
    // A folder is listed without numbers.
    if (printed === null && mediaCount === 0 && text !== "") return { kind: "search", command: path };
    return { kind: "read", path, window, printed };
  },
};

const editTool = changeTool({
  kind: "edit",
  path: ["path"],
  outcomeOf: (text) => outcomeBy(/^File [^\n]* updated with changes/, text),
  changeText: (input) => replacementsIn([input], { from: "old_str", to: "new_str", all: null }),
});

const createTool = changeTool({
  kind: "write",
  path: ["path"],
  outcomeOf: (text) => outcomeBy(/^Created file [^\n]* with \d+ characters/, text),
  changeText: (input) => contentOf(input, "file_text", false),
});

const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ["view", viewTool],
  ["edit", editTool],
  ["create", createTool],
  ["bash", runTool({ command: ["command"], directory: [], outcomeOf: commandOutcome, outputOf })],
  ["grep", askingTool("search", ["pattern"])],
  ["rg", askingTool("search", ["pattern"])],
  ["glob", askingTool("search", ["pattern"])],
  ["web_fetch", askingTool("fetch", ["url"])],
  ["web_search", askingTool("fetch", ["query"])],
]);

/** GitHub Copilot CLI, whose views number lines `1. ` and whose changes answer in fixed words. Known from its public session logs. */
export function createCopilotCliDialect(): Dialect {
  return toDialect({
    name: "copilot-cli",
    toolOf: (name) => TOOLS.get(name),
    recognises,
    isTyped: (text) => {
      const rest = withoutTags(text, CLIENT_TAGS);
      return rest !== "" && !rest.startsWith(CONTINUATION);
    },
    isSummary: () => false,
    workingDirectoryOf: (texts) => firstDirectory(texts, WORKING_DIRECTORY),
  });
}

function recognises({ toolNames, systemTexts }: RequestHeader, userAgent: string | null): boolean {
  if (userAgent !== null && USER_AGENT.test(userAgent)) return true;
  if (systemTexts.some((text) => text.includes(OWN_WORDS))) return true;
  return OWN_TOOLS.every((name) => toolNames.includes(name));
}

function outcomeBy(success: RegExp, text: string): Outcome {
  if (success.test(text)) return "ok";
  return REFUSED.test(text) ? "interrupted" : "failed";
}

/** A command says with which code it ended; one that does not has not ended. */
function commandOutcome(text: string): Outcome {
  if (REFUSED.test(text)) return "interrupted";
  const code = EXIT_CODE.exec(text)?.[1];
  if (code === undefined) return "missing";
  return code === "0" ? "ok" : "failed";
}

function outputOf(text: string): string | null {
  const end = EXIT_CODE.exec(text);
  return end === null || end[1] !== "0" || CUT_OUTPUT.test(text) ? null : text.slice(0, end.index);
}
