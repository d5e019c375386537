import { describe, expect, test } from "vitest";
import { headerOf } from "../../test/support/header.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import type { Acquisition } from "../model/acquisition.ts";
import type { CallItem } from "../model/item.ts";
import type { JsonValue } from "../model/json.ts";
import { type DialectSample, testDialect } from "../testing/test-dialect.ts";
import { createOpencodeDialect } from "./opencode.ts";

const dialect = createOpencodeDialect();
const file = (content: string) => `<path>/w/f.ts</path>\n<type>file</type>\n<content>\n${content}\n</content>`;
const PATCH = [
  "*** Begin Patch",
  "*** Add File: new.ts",
  "+one",
  "+",
  "*** Update File: old.ts",
  "*** Move to: moved.ts",
  "@@",
  "-a",
  "+*** Delete File: not.ts",
  "*** Delete File: gone.ts",
  "*** End Patch",
].join("\n");

function sample(
  tool: string,
  name: string,
  input: JsonValue,
  text: string,
  expected: Partial<Acquisition>,
): DialectSample {
  return { name, tool, input, result: { text }, expected };
}

const WINDOWS = [
  ["all of it", {}, file("1: a\n2: b\n\n(End of file - total 2 lines)"), [1, 2000], [1, 2]],
  [
    "a range",
    { offset: 3, limit: 2 },
    file("3: a\n4: b\n\n(Showing lines 3-4 of 9. Use offset=5 to continue.)"),
    [3, 4],
    [3, 4],
  ],
  [
    "a capped read",
    { offset: 3 },
    file("3: a\n\n(Output capped at 50 KB. Showing lines 3-3. Use offset=4 to continue.)"),
    [3, 2002],
    [3, 3],
  ],
  [
    "content behind its tag",
    {},
    "<path>/w/f.ts</path>\n<type>file</type>\n<content>1: a\n2: b\n</content>",
    [1, 2000],
    [1, 2],
  ],
  ["an empty file", {}, file("\n\n(End of file - total 0 lines)"), [1, 2000], [1, 0]],
  [
    "the older form, from 0",
    { offset: 2, limit: 2 },
    "<file>\n00003| a\n00004| b\n\n(File has more lines.)\n</file>",
    [3, 4],
    [3, 4],
  ],
  ["numbers as text", { offset: "3", limit: "2" }, file("3: a\n4: b"), [3, 4], [3, 4]],
  [
    "what was cut to be summarised",
    {},
    `${file("1: a\n2: b")}\n[Tool output truncated for compaction: omitted 9 chars]`,
    [1, 2000],
    [1, 1],
  ],
] as const;

const samples: readonly DialectSample[] = [
  ...WINDOWS.map(([name, range, text, [start, end], [first, last]]) =>
    sample("read", name, { filePath: "/w/f.ts", ...range }, text, {
      kind: "read",
      outcome: "ok",
      path: "/w/f.ts",
      window: { start, end, part: null },
      printed: { start: first, end: last },
    }),
  ),
  sample("read", "a folder", { filePath: "/w" }, "<path>/w</path>\n<type>directory</type>\n<entries>\na\n</entries>", {
    kind: "search",
    path: null,
    command: "/w",
  }),
  sample("read", "an image", { filePath: "/w/a.png" }, "Image read successfully", { outcome: "ok", printed: null }),
  sample("read", "a read without its file", { filePath: "/w/f.ts" }, "File not found: /w/f.ts", { outcome: "failed" }),
  sample("read", "a cleared read", { filePath: "/w/f.ts" }, "[Old tool result content cleared]", {
    outcome: "missing",
  }),
  sample("read", "a stopped read", { filePath: "/w/f.ts" }, "[Tool execution was interrupted]", {
    outcome: "interrupted",
  }),
  sample("edit", "an edit", { filePath: "/w/f.ts" }, "Edit applied successfully.", {
    kind: "edit",
    changes: [{ kind: "edit", path: "/w/f.ts", source: "tool" }],
  }),
  sample("edit", "an edit that found nothing", { filePath: "/w/f.ts" }, "Could not find oldString in the file.", {
    outcome: "failed",
    changes: [],
  }),
  sample("multiedit", "an older edit", { filePath: "/w/f.ts", edits: [] }, "", { kind: "edit", outcome: "ok" }),
  sample(
    "write",
    "an older write with faults",
    { filePath: "/w/f.ts", content: "" },
    "\nThis file has errors, please fix\n",
    {
      changes: [{ kind: "write", path: "/w/f.ts", source: "tool" }],
    },
  ),
  sample(
    "apply_patch",
    "a patch of several files",
    { patchText: PATCH },
    "Success. Updated the following files:\nM old.ts",
    {
      kind: "edit",
      path: null,
      changes: [
        { kind: "write", path: "new.ts", source: "tool" },
        { kind: "rename", path: "old.ts", source: "tool" },
        { kind: "rename", path: "moved.ts", source: "tool" },
        { kind: "delete", path: "gone.ts", source: "tool" },
      ],
    },
  ),
  sample("apply_patch", "a patch that failed", { patchText: PATCH }, "apply_patch verification failed: x", {
    outcome: "failed",
    changes: [],
  }),
  sample("bash", "a command elsewhere", { command: "echo > f", workdir: "/w" }, "", {
    kind: "run",
    workingDirectory: "/w",
    changes: [{ kind: "write", path: "f", source: "shell" }],
  }),
  sample("bash", "a command in a folder below", { command: "rm f", workdir: "sub" }, "", {
    workingDirectory: null,
    changes: [{ kind: "delete", path: "sub/f", source: "shell" }],
  }),
  sample("bash", "a command with a complaint", { command: "rm f" }, "rm: cannot remove 'f'", {
    outcome: "ok",
    changes: [],
  }),
  sample("bash", "a printed file", { command: "cat a.ts", workdir: "/w" }, "x\ny\n", {
    isShellRead: true,
    path: "a.ts",
    printed: { start: 1, end: 2 },
  }),
  sample("bash", "an aborted command", { command: "rm f" }, "x\n\n(Command was aborted)", { outcome: "interrupted" }),
  sample("webfetch", "a page", { url: "https://a.example" }, "x", { kind: "fetch", command: "https://a.example" }),
  sample("todowrite", "a list", { todos: [] }, "[]", { kind: "other" }),
];

describe("the opencode dialect", () => {
  for (const check of testDialect(dialect, createShellParser(), samples)) test(check.name, check.run);

  test("takes its own texts for no person's, and the question behind a compaction for a fold", () => {
    const own = [
      "What did we do so far?",
      "Called the Read tool with the following input: {}",
      "<system-reminder>x</system-reminder>",
    ];
    expect(own.map((text) => dialect.isGenuineUser([text]))).toEqual([false, false, false]);
    expect(own.map((text) => dialect.isFold([text]))).toEqual([true, false, false]);
    expect(
      dialect.isGenuineUser(["<system-reminder>\nThe user sent the following message:\ngo on\n</system-reminder>"]),
    ).toBe(true);
  });

  test("reads the working directory of the environment block alone", () => {
    expect(dialect.workingDirectoryOf(["Working directory: /quoted"])).toBeNull();
    expect(dialect.workingDirectoryOf(["<env>\n  Working directory: /w/x y\n  Platform: linux\n</env>"])).toBe(
      "/w/x y",
    );
  });

  test("states what its calls change, whole or not at all", () => {
    const change = (name: string, input: JsonValue) => dialect.changeText({ ...CALL, name, input }, "ok");
    expect(change("edit", { oldString: "a", newString: "b", replaceAll: true })).toEqual({
      kind: "replacements",
      replacements: [{ from: "a", to: "b", isAll: true }],
    });
    expect(change("edit", { oldString: "", newString: "b" })).toEqual({ kind: "content", text: "b", isNew: false });
    expect(change("multiedit", { edits: [{ oldString: "a", newString: "b" }, {}] })).toBeNull();
    expect(change("apply_patch", { patchText: PATCH })).toBeNull();
    const added = "*** Begin Patch\n*** Add File: f\n+one\n+\n*** End Patch";
    expect(change("apply_patch", { patchText: added })).toEqual({ kind: "content", text: "one\n\n", isNew: false });
    expect(change("apply_patch", { patchText: added.replace("Add", "Update") })).toBeNull();
  });

  test("recognises its tools, its words and its user agent, and no tools of pi", () => {
    const tools = ["bash", "edit", "glob", "grep", "read", "skill", "task", "todowrite", "webfetch", "write"];
    expect(dialect.recognises(headerOf({ toolNames: tools }), null)).toBe(true);
    expect(
      dialect.recognises(headerOf({ toolNames: ["read", "bash", "edit", "write", "grep", "find", "ls"] }), null),
    ).toBe(false);
    expect(dialect.recognises(headerOf({}), "opencode/1.18.33 ai-sdk/provider-utils/4.0.46")).toBe(true);
    expect(dialect.recognises(headerOf({ systemTexts: ["You are OpenCode, the best coding agent"] }), null)).toBe(true);
    expect([dialect.hasShell(["bash"]), dialect.hasShell(["read"]), dialect.readsThroughShell]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

const CALL: CallItem = {
  kind: "call",
  key: "call:c",
  role: "assistant",
  callId: "c",
  name: "",
  input: null,
  messageIndex: 1,
  blockIndex: 0,
  bytes: 0,
  lines: 0,
  digest: "",
};
