import { describe, expect, it } from "vitest";
import { resolveCall } from "./intent.ts";
import type { StepTool } from "./scenario.ts";
import type { OfferedTool } from "./talk.ts";

const tool = (name: string, ...properties: readonly string[]): OfferedTool => ({
  name,
  group: null,
  schema: { type: "object", properties: Object.fromEntries(properties.map((one) => [one, {}])) },
  form: "arguments",
});
const OPENCODE = [
  tool("read", "filePath", "offset", "limit"),
  tool("edit", "filePath", "oldString", "newString"),
  tool("write", "filePath", "content"),
  tool("bash", "command", "description"),
];
const GEMINI_CLI = [
  tool("read_file", "file_path", "start_line", "end_line"),
  tool("replace", "file_path", "old_string", "new_string", "instruction"),
  tool("write_file", "file_path", "content"),
  tool("run_shell_command", "command", "description"),
];
const CODEX = [tool("exec_command", "cmd", "workdir"), { ...tool("apply_patch"), schema: null, form: "text" } as const];
const SHELL_ONLY = [tool("exec_command", "cmd")];

const READ: StepTool = { do: "read", path: "a b.ts", offset: 3, limit: 2 };
const EDIT: StepTool = { do: "edit", path: "a.ts", old: "1/2 * x", new: "2 & y" };
const WRITE: StepTool = { do: "write", path: "a.ts", content: "one\ntwo" };
const RUN: StepTool = { do: "bash", command: "ls" };

describe("an intent is carried out", () => {
  it.each<[string, readonly OfferedTool[], StepTool, string, object]>([
    ["opencode", OPENCODE, READ, "read", { filePath: "/w/a b.ts", offset: 3, limit: 2 }],
    ["opencode", OPENCODE, EDIT, "edit", { filePath: "/w/a.ts", oldString: "1/2 * x", newString: "2 & y" }],
    ["opencode", OPENCODE, WRITE, "write", { filePath: "/w/a.ts", content: "one\ntwo" }],
    ["opencode", OPENCODE, RUN, "bash", { command: "ls", description: "Run a command" }],
    ["Gemini CLI", GEMINI_CLI, READ, "read_file", { file_path: "/w/a b.ts", start_line: 3, end_line: 4 }],
    [
      "Gemini CLI",
      GEMINI_CLI,
      EDIT,
      "replace",
      { file_path: "/w/a.ts", old_string: "1/2 * x", new_string: "2 & y", instruction: "As the script says." },
    ],
    ["Gemini CLI", GEMINI_CLI, WRITE, "write_file", { file_path: "/w/a.ts", content: "one\ntwo" }],
    ["Gemini CLI", GEMINI_CLI, RUN, "run_shell_command", { command: "ls", description: "Run a command" }],
    ["Codex", CODEX, READ, "exec_command", { cmd: "sed -n '3,4p' 'a b.ts'" }],
    ["Codex", CODEX, { do: "read", path: "a.ts" }, "exec_command", { cmd: "cat a.ts" }],
    [
      "a shell",
      SHELL_ONLY,
      { do: "read", path: "it's", offset: 2 },
      "exec_command",
      { cmd: "sed -n '2,$p' 'it'\\''s'" },
    ],
    ["a shell", SHELL_ONLY, EDIT, "exec_command", { cmd: "sed -i 's/1\\/2 \\* x/2 \\& y/' a.ts" }],
    ["a shell", SHELL_ONLY, WRITE, "exec_command", { cmd: "cat > a.ts <<'END_OF_FILE'\none\ntwo\nEND_OF_FILE" }],
    ["Codex's old shell", [tool("shell", "command")], RUN, "shell", { command: ["bash", "-lc", "ls"] }],
  ])("in the terms of %s", (_client, tools, wanted, name, input) => {
    expect(resolveCall(wanted, { tools, history: [] }, "/w")).toMatchObject({ name, input });
  });

  it("as a patch where Codex offers one", () => {
    const edited = resolveCall(EDIT, { tools: CODEX, history: [] }, "/w");
    expect(edited).toMatchObject({
      name: "apply_patch",
      input: { input: "*** Begin Patch\n*** Update File: a.ts\n@@\n-1/2 * x\n+2 & y\n*** End Patch" },
      tool: { form: "text" },
    });
    const written = resolveCall(WRITE, { tools: CODEX, history: [] }, "/w");
    expect(written?.input.input).toBe("*** Begin Patch\n*** Add File: a.ts\n+one\n+two\n*** End Patch");
  });

  it("by a tool of a server, whatever its group or prefix", () => {
    const recall: StepTool = { do: "mcp", tool: "recall", input: { id: "x" } };
    const grouped = { ...tool("recall", "id"), group: "mcp__ebb" };
    expect(resolveCall(recall, { tools: [grouped], history: [] }, null)?.tool).toBe(grouped);
    expect(resolveCall(recall, { tools: [tool("mcp_ebb_recall", "id")], history: [] }, null)?.name).toBe(
      "mcp_ebb_recall",
    );
  });
});
