import { describe, expect, it } from "vitest";
import type { CallItem } from "../model/item.ts";
import type { JsonValue } from "../model/json.ts";
import { createClaudeCodeDialect } from "./claude-code.ts";
import { createPiDialect } from "./pi.ts";

function call(name: string, input: JsonValue): CallItem {
  const place = { messageIndex: 1, blockIndex: 0, bytes: 0, lines: 0, digest: "" };
  return { kind: "call", key: "call:c", role: "assistant", callId: "c", name, input, ...place };
}

const claude = (name: string, input: JsonValue, text = "ok") =>
  createClaudeCodeDialect().changeText(call(name, input), text);
const pi = (name: string, input: JsonValue) => createPiDialect().changeText(call(name, input), "ok");
const one = (from: string, to: string, isAll = false) => ({
  kind: "replacements",
  replacements: [{ from, to, isAll }],
});

describe("what a call states that it changes", () => {
  it("is read out of Claude Code's calls", () => {
    expect(claude("Edit", { old_string: "a", new_string: "" })).toEqual(one("a", ""));
    expect(claude("Edit", { old_string: "a", new_string: "b", replace_all: true })).toEqual(one("a", "b", true));
    expect(claude("Edit", { old_string: "", new_string: "b" })).toEqual({ kind: "content", text: "b", isNew: true });
    expect(claude("MultiEdit", { edits: [{ old_string: "a", new_string: "b" }] })).toEqual(one("a", "b"));
    expect(claude("Write", { content: "" })).toEqual({ kind: "content", text: "", isNew: false });
    expect(claude("Write", { content: "x" }, "File created successfully at: /a")).toMatchObject({ isNew: true });
    const cell = { kind: "cell", cell: "c1", mode: "replace", text: "x" };
    expect(claude("NotebookEdit", { cell_id: "c1", new_source: "x" })).toEqual(cell);
    expect(claude("NotebookEdit", { cell_id: "c1", edit_mode: "delete" })).toEqual({
      ...cell,
      mode: "delete",
      text: "",
    });
  });

  it("is read out of pi's calls, of both forms", () => {
    expect(pi("edit", { oldText: "a", newText: "b" })).toEqual(one("a", "b"));
    expect(pi("edit", { edits: [{ oldText: "a", newText: "b" }] })).toEqual(one("a", "b"));
    expect(pi("write", { content: "x" })).toEqual({ kind: "content", text: "x", isNew: false });
  });

  it.each([
    () =>
      claude(
        "Edit",
        { old_string: "a", new_string: "b" },
        "The user modified your proposed changes before accepting them.",
      ),
    () => claude("Edit", { old_string: "a" }),
    () => claude("MultiEdit", { edits: [{ old_string: "a", new_string: "b" }, {}] }),
    () =>
      claude("MultiEdit", {
        edits: [
          { old_string: "", new_string: "b" },
          { old_string: "b", new_string: "c" },
        ],
      }),
    () => claude("Write", {}),
    () => claude("NotebookEdit", { edit_mode: "other", new_source: "x" }),
    () => claude("Bash", { command: "x" }),
    () => pi("edit", { oldText: "", newText: "b" }),
    () => pi("edit", {}),
    () => pi("bash", {}),
  ])("is nothing where the call does not state all of it (%#)", (read) => expect(read()).toBeNull());
});
