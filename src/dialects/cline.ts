import type { Dialect } from "../model/ports.ts";
import type { RequestHeader } from "../model/transcript.ts";
import { editorTool } from "./cline/editor.ts";
import { readFilesTool } from "./cline/read-files.ts";
import { outcomeOfParts, partResultsIn } from "./cline/results.ts";
import { runCommandsTool } from "./cline/run-commands.ts";
import { patchTool } from "./tools/patch-tool.ts";
import { askingTool } from "./tools/plain-tools.ts";
import type { Tool } from "./tools/tool.ts";
import { toDialect } from "./tools/tool-dialect.ts";
import { firstDirectory, isPlainText } from "./tools/user-texts.ts";
import { isListValue, memberOf } from "./tools/values.ts";

const OWN_TOOLS = ["read_files", "editor", "run_commands"];
const OWN_WORDS = "You are Cline, an AI coding agent";
const SUMMARY = "Context summary:\n\n";
const TYPED = /^<user_input[\s>]/;
const WORKING_DIRECTORY = /(?:^|\n)(?:\d+\. )?Working Directory:[ \t]*(\S[^\n]*)/;

const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ["read_files", readFilesTool],
  ["editor", editorTool],
  ["run_commands", runCommandsTool],
  ["apply_patch", patchTool(["input"], (text) => outcomeOfParts(partResultsIn(text)))],
  ["search_codebase", listing("search", "queries")],
  ["fetch_web_content", listing("fetch", "requests")],
  ["web_search", askingTool("fetch", ["query"])],
]);

/**
 * Cline since its SDK of 2026, whose tools take lists and answer with JSON. Its older tools came as text of the model, which are
 * no tool calls.
 */
export function createClineDialect(): Dialect {
  return toDialect({
    name: "cline",
    toolOf: (name) => TOOLS.get(name),
    recognises,
    isTyped: (text) => TYPED.test(text.trim()) || isPlainText(text),
    isSummary: (text) => text.startsWith(SUMMARY),
    workingDirectoryOf: (texts) => firstDirectory(texts, WORKING_DIRECTORY),
  });
}

function recognises({ toolNames, systemTexts }: RequestHeader): boolean {
  return OWN_TOOLS.every((name) => toolNames.includes(name)) || systemTexts.some((text) => text.includes(OWN_WORDS));
}

/** A tool whose one argument lists what it asks for, as texts or as objects with an address. */
function listing(kind: "search" | "fetch", name: string): Tool {
  return {
    meaningOf: ({ input }) => {
      const given = memberOf(input, name);
      const asked = (isListValue(given) ? given : [given]).map((one) => memberOf(one, "url") ?? one);
      const texts = asked.filter((one) => typeof one === "string" && one !== "");
      return { kind, command: texts.length === 0 ? null : texts.join("\n") };
    },
  };
}
