import type { JsonValue } from "../../model/json.ts";
import { isObject } from "./json.ts";
import type { StepTool } from "./scenario.ts";
import type { OfferedTool } from "./talk.ts";

/** What a step wants done, without a tool's name. */
export type Intent = Exclude<StepTool, { readonly name: string }>;

/** One way of doing it. */
export interface Candidate {
  fits(tool: OfferedTool): boolean;
  readonly input: Readonly<Record<string, JsonValue | undefined>>;
}

/** Ways of doing it in the terms of known clients, the better ones first; a shell does what no other tool can. */
export function candidatesOf(wanted: Intent, absolute: (path: string) => string): readonly Candidate[] {
  switch (wanted.do) {
    case "read":
      return [...readTools(wanted, absolute(wanted.path)), ...shells(readCommand(wanted))];
    case "write":
      return writeTools(wanted, absolute(wanted.path));
    case "edit":
      return editTools(wanted, absolute(wanted.path));
    case "bash":
      return shells(wanted.command);
    case "mcp":
      return toolServers(wanted);
  }
}

type Wanted<Kind extends Intent["do"]> = Extract<Intent, { readonly do: Kind }>;

function readTools({ offset, limit }: Wanted<"read">, path: string): readonly Candidate[] {
  const end = offset === undefined || limit === undefined ? undefined : offset + limit - 1;
  return [
    named("Read", { file_path: path, offset, limit }),
    taking("filePath", named("read", { filePath: path, offset, limit })),
    named("read", { path, offset, limit }),
    taking("absolute_path", named("read_file", { absolute_path: path, offset, limit })),
    named("read_file", { file_path: path, path, offset, limit, start_line: offset, end_line: end }),
  ];
}

function writeTools({ path: asWritten, content }: Wanted<"write">, path: string): readonly Candidate[] {
  const lines = content.split("\n").map((line) => `+${line}`);
  return [
    named("Write", { file_path: path, content }),
    taking("filePath", named("write", { filePath: path, content })),
    named("write", { path, content }),
    named("write_file", { file_path: path, content }),
    patch([`*** Add File: ${asWritten}`, ...lines]),
    ...shells(`cat > ${quoted(asWritten)} <<'END_OF_FILE'\n${content}\nEND_OF_FILE`),
  ];
}

function editTools({ path: asWritten, old, new: replacement }: Wanted<"edit">, path: string): readonly Candidate[] {
  const edit = { oldText: old, newText: replacement };
  const expression = `s/${inExpression(old)}/${inReplacement(replacement)}/`;
  const removed = old.replace(/\n$/, "").split("\n");
  const added = replacement.replace(/\n$/, "").split("\n");
  return [
    named("Edit", { file_path: path, old_string: old, new_string: replacement }),
    taking("filePath", named("edit", { filePath: path, oldString: old, newString: replacement })),
    named("edit", { path, edits: [edit], ...edit }),
    named("replace", { file_path: path, old_string: old, new_string: replacement, instruction: "As the script says." }),
    patch([
      `*** Update File: ${asWritten}`,
      "@@",
      ...removed.map((line) => `-${line}`),
      ...added.map((line) => `+${line}`),
    ]),
    ...shells(`sed -i ${quoted(expression)} ${quoted(asWritten)}`),
  ];
}

/** Claude Code's and pi's names for a shell, then Codex's and Gemini CLI's. */
function shells(command: string): readonly Candidate[] {
  const description = "Run a command";
  return [
    named("Bash", { command, description }),
    taking("description", named("bash", { command, description })),
    named("bash", { command }),
    named("run_shell_command", { command, description }),
    named("exec_command", { cmd: command }),
    named("shell_command", { command }),
    named("shell", { command: ["bash", "-lc", command] }),
    { fits: ({ form }) => form === "shell", input: { command: ["bash", "-lc", command] } },
  ];
}

function toolServers({ tool, input = {} }: Wanted<"mcp">): readonly Candidate[] {
  const isServed = (name: string) => name.startsWith("mcp__") && name.endsWith(`__${tool}`);
  return [
    { fits: ({ name, group }) => isServed(group === null ? name : `${group}__${name}`), input },
    { fits: ({ name }) => name.startsWith("mcp_") && name.endsWith(`_${tool}`), input },
    named(`ebb_${tool}`, input),
    named(tool, input),
  ];
}

function named(name: string, input: Candidate["input"]): Candidate {
  return { fits: (tool) => tool.name === name, input };
}

/** Only where the tool's schema knows this argument. */
function taking(argument: string, candidate: Candidate): Candidate {
  return { ...candidate, fits: (tool) => candidate.fits(tool) && knows(tool, argument) };
}

function knows({ schema }: OfferedTool, argument: string): boolean {
  return isObject(schema) && isObject(schema.properties) && argument in schema.properties;
}

/** Codex's patch: a tool that takes one text, or its only argument. */
function patch(lines: readonly string[]): Candidate {
  const text = ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
  return named("apply_patch", { input: text, patchText: text });
}

function readCommand({ path, offset, limit }: Wanted<"read">): string {
  if (offset === undefined && limit === undefined) return `cat ${quoted(path)}`;
  const first = offset ?? 1;
  return `sed -n '${first},${limit === undefined ? "$" : first + limit - 1}p' ${quoted(path)}`;
}

function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function inExpression(text: string): string {
  return text.replace(/\n$/, "").replace(/[\\/.*[\]^$]/g, "\\$&");
}

function inReplacement(text: string): string {
  return text.replace(/\n$/, "").replace(/[\\/&]/g, "\\$&");
}
