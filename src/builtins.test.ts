import { describe, expect, test } from "vitest";
import { headerOf } from "../test/support/header.ts";
import { dialects } from "./builtins.ts";

/** The first dialect that takes a request for its own, as the keeper asks them. */
function recognised(
  toolNames: readonly string[],
  systemTexts: readonly string[] = [],
  userAgent: string | null = null,
) {
  return dialects.find((dialect) => dialect.recognises(headerOf({ toolNames, systemTexts }), userAgent))?.name;
}

describe("among all dialects", () => {
  test("each has a name of its own, and the last one takes anything", () => {
    expect(new Set(dialects.map(({ name }) => name)).size).toBe(dialects.length);
    expect(recognised([])).toBe("generic");
  });

  test.each([
    ["claude-code", ["Read", "Edit", "Write", "Bash", "Grep", "mcp__filesystem__read_text_file"]],
    ["pi", ["read", "edit", "write", "bash"]],
    ["cline", ["read_files", "search_codebase", "run_commands", "editor", "fetch_web_content", "ask_question"]],
    ["cline", ["read_files", "run_commands", "editor", "apply_patch"]],
    ["roo", ["read_file", "apply_diff", "write_to_file", "execute_command", "attempt_completion", "search_files"]],
    ["vscode-copilot", ["read_file", "apply_patch", "create_file", "run_in_terminal", "get_errors", "grep_search"]],
    ["copilot-cli", ["view", "edit", "create", "bash", "report_intent", "grep", "glob"]],
    ["openhands", ["terminal", "file_editor", "task_tracker", "finish", "think"]],
    ["openhands", ["execute_bash", "str_replace_editor", "finish"]],
    ["swe-agent", ["bash", "str_replace_editor", "submit"]],
    ["swe-agent", ["bash", "open", "goto", "create", "edit", "find_file", "submit"]],
    ["cursor", ["codebase_search", "read_file", "run_terminal_cmd", "grep", "search_replace", "write", "list_dir"]],
    ["langchain", ["write_todos", "ls", "read_file", "write_file", "edit_file", "glob", "grep", "task"]],
    ["mcp-files", ["read_text_file", "read_multiple_files", "write_file", "edit_file", "move_file", "list_directory"]],
    ["text-editor", ["str_replace_based_edit_tool", "bash"]],
    ["generic", ["read"]],
    ["generic", ["bash"]],
  ])("%s is told by its tools: %j", (name, toolNames) => {
    expect(recognised(toolNames)).toBe(name);
  });

  test("an agent's words count more than a set of tools it shares", () => {
    expect(recognised(["bash"], ["You are a helpful assistant that can interact with a computer."])).toBe(
      "mini-swe-agent",
    );
    expect(recognised(["read", "edit", "write", "bash"], [], "opencode/1.0.0")).toBe("opencode");
    expect(recognised(["read_file", "apply_patch"], [], "GitHubCopilotChat/0.33.0")).toBe("vscode-copilot");
  });
});
