import type { JsonObject, JsonValue } from "../../model/json.ts";
import { textArgument } from "../call-input.ts";
import { isCut } from "../shell-output.ts";
import { beginsAsError, changeOutcome, contentOutcome } from "../tools/outcomes.ts";
import { runTool, unknownOutput } from "../tools/plain-tools.ts";
import { contentOf } from "../tools/replacements.ts";
import { otherTool, type Tool } from "../tools/tool.ts";
import { isObjectValue } from "../tools/values.ts";
import { partWindow } from "../tools/windows.ts";
import {
  anyRows,
  CONTENTS,
  editPath,
  onlyPath,
  readPath,
  statedReplacements,
  unstatedWindow,
  writePath,
} from "./shapes.ts";

const PREFIX = /^mcp__.+?__/;
const RUN_ARGUMENTS = [
  "command",
  "timeout",
  "timeout_ms",
  "description",
  "explanation",
  "cwd",
  "workdir",
  "working_directory",
];

const read: Tool = {
  meaningOf: ({ callId, input, text }) => {
    const path = isObjectValue(input) ? readPath(input) : null;
    if (path === null) return { kind: "other" };
    const rows = anyRows(text);
    const window = rows === null && isCut(text) ? partWindow(`output of ${callId}`) : unstatedWindow(input);
    const outcome = rows === null ? contentOutcome(text) : "ok";
    return { kind: "read", path, outcome, window, printed: window.part === null ? rows : null };
  },
};

const edit = change("edit", editPath, statedReplacements);
const write = change("write", writePath, (input) => {
  const name = CONTENTS.find((one) => Object.hasOwn(input, one));
  return name === undefined ? null : contentOf(input, name, false);
});
const remove = change(
  "delete",
  (input) => onlyPath(input, []),
  () => null,
);

const shell = runTool({
  command: ["command"],
  directory: ["cwd", "workdir", "working_directory"],
  outcomeOf: (text) => (beginsAsError(text) ? "failed" : "ok"),
  outputOf: unknownOutput,
});
/** Whether a marker may name a command is not known of a shell that nobody described. */
const run: Tool = {
  meaningOf: (call) => (isCommandInput(call.input) ? shell.meaningOf(call) : otherTool.meaningOf(call)),
};

const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ...named(read, ["read", "readfile", "readtextfile", "fileread", "viewfile", "view"]),
  ...named(edit, ["edit", "editfile", "fileedit", "strreplace", "searchreplace", "searchandreplace", "replaceinfile"]),
  ...named(edit, ["replacestringinfile", "multiedit"]),
  ...named(write, ["write", "writefile", "filewrite", "createfile", "savefile", "writetofile"]),
  ...named(remove, ["deletefile", "removefile", "filedelete"]),
  ...named(run, ["bash", "shell", "terminal", "runcommand", "executecommand", "execcommand", "executebash"]),
  ...named(run, ["runshellcommand", "runinterminal", "runterminalcmd"]),
]);

/** The tool that a name stands for in most agents, whatever its spelling; what it means is left to the shape of the call. */
export function usualTool(name: string): Tool | undefined {
  const bare = name
    .replace(PREFIX, "")
    .replace(/[-_.\s]/g, "")
    .toLowerCase();
  return TOOLS.get(bare);
}

function change(
  kind: "edit" | "write" | "delete",
  pathOf: (input: JsonObject) => string | null,
  changeText: (input: JsonObject) => ReturnType<typeof contentOf>,
): Tool {
  const pathIn = (input: JsonValue) => (isObjectValue(input) ? pathOf(input) : null);
  return {
    meaningOf: ({ input, text }) => {
      const path = pathIn(input);
      if (path === null) return { kind: "other" };
      return { kind, path, outcome: changeOutcome(text), changes: [{ kind, path, source: "tool" }] };
    },
    changeText: (input) => (isObjectValue(input) && pathIn(input) !== null ? changeText(input) : null),
  };
}

function isCommandInput(input: JsonValue): boolean {
  return (
    isObjectValue(input) &&
    textArgument(input, "command") !== null &&
    Object.keys(input).every((name) => RUN_ARGUMENTS.includes(name))
  );
}

function named(tool: Tool, names: readonly string[]): readonly (readonly [string, Tool])[] {
  return names.map((name) => [name, tool]);
}
