import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Script, ScriptedStep } from "./scripted-provider.ts";
import { SMALL_PNG } from "./small-png.ts";

export interface Prompt {
  readonly text: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly interruptAfterMs?: number;
}

/** One recorded conversation: what stands in the folder, what the person types, what the model answers. */
export interface Situation {
  readonly name: string;
  prepare(folder: string): void;
  /** Each prompt is one start of the client; all but the first continue the conversation. */
  readonly prompts: readonly Prompt[];
  scripts(folder: string): readonly Script[];
  readonly withToolServer?: boolean;
  readonly asksPermission?: boolean;
}

const POEM = Array.from({ length: 30 }, (_, index) => `const value${index + 1} = ${index + 1} * 2;`).join("\n");

export const SITUATIONS: readonly Situation[] = [
  {
    name: "read-again",
    prepare: writePoem,
    prompts: [{ text: "[go] read it twice" }],
    scripts: (folder) => [
      script(
        call("Read", { file_path: join(folder, "a.ts") }),
        call("Read", { file_path: join(folder, "a.ts") }),
        call("Edit", { file_path: join(folder, "a.ts"), old_string: "value3 = 3", new_string: "value3 = 33" }),
        call("Read", { file_path: join(folder, "a.ts") }),
        call("Read", { file_path: join(folder, "a.ts"), offset: 5, limit: 4 }),
        call("Read", { file_path: join(folder, "a.ts"), offset: 5, limit: 4 }),
        call("Read", { file_path: join(folder, "a.ts") }),
        call("Write", { file_path: join(folder, "new.txt"), content: "one\ntwo\n" }),
        call("Write", { file_path: join(folder, "a.ts"), content: "all new\n" }),
        call("Read", { file_path: join(folder, "a.ts") }),
        call("Read", { file_path: join(folder, "new.txt") }),
      ),
    ],
  },
  {
    name: "read-edges",
    prepare: (folder) => {
      writePoem(folder);
      writeFileSync(join(folder, "empty.txt"), "");
      writeFileSync(join(folder, "blank-end.txt"), "one\n\nthree\n\n");
      writeFileSync(join(folder, "long-line.txt"), `short\n${"x".repeat(3000)}\nend`);
      writeFileSync(join(folder, "dot.png"), SMALL_PNG);
      mkdirSync(join(folder, "folder"));
    },
    prompts: [{ text: "[go] read the edges" }],
    scripts: (folder) => [
      script(
        call("Read", { file_path: join(folder, "empty.txt") }),
        call("Read", { file_path: join(folder, "a.ts"), offset: 500 }),
        call("Read", { file_path: join(folder, "a.ts"), offset: 0, limit: 2 }),
        call("Read", { file_path: join(folder, "a.ts"), offset: 1 }),
        call("Read", { file_path: join(folder, "a.ts"), limit: 3 }),
        call("Read", { file_path: join(folder, "missing.txt") }),
        call("Read", { file_path: join(folder, "folder") }),
        call("Read", { file_path: join(folder, "blank-end.txt") }),
        call("Read", { file_path: join(folder, "long-line.txt") }),
        call("Read", { file_path: join(folder, "dot.png") }),
        call("Read", { file_path: "a.ts" }),
      ),
    ],
  },
  {
    name: "read-large",
    prepare: (folder) => {
      writeFileSync(join(folder, "many-lines.txt"), numbered(2600, "l"));
      writeFileSync(join(folder, "middling.txt"), numbered(900, "a line with some more words in it, number"));
      writeFileSync(join(folder, "large.txt"), numbered(6000, "a line with some more words in it, number"));
      writeFileSync(join(folder, "huge.txt"), numbered(20000, "a line with some more words in it, number"));
    },
    prompts: [{ text: "[go] read large files" }],
    scripts: (folder) => [
      script(
        call("Read", { file_path: join(folder, "many-lines.txt"), limit: 40 }),
        call("Read", { file_path: join(folder, "middling.txt") }),
        call("Read", { file_path: join(folder, "large.txt") }),
        call("Read", { file_path: join(folder, "large.txt"), offset: 1, limit: 5000 }),
        call("Read", { file_path: join(folder, "huge.txt") }),
        call("Read", { file_path: join(folder, "huge.txt"), offset: 100, limit: 3 }),
        call("Read", { file_path: join(folder, "middling.txt"), offset: 890 }),
      ),
    ],
  },
  {
    name: "failed-calls",
    prepare: writePoem,
    prompts: [{ text: "[go] fail in many ways" }],
    scripts: (folder) => [
      script(
        call("Edit", { file_path: join(folder, "a.ts"), old_string: "value3 = 3", new_string: "value3 = 33" }),
        call("Read", { file_path: join(folder, "a.ts") }),
        call("Edit", { file_path: join(folder, "a.ts"), old_string: "not there", new_string: "x" }),
        call("Edit", { file_path: join(folder, "a.ts"), old_string: "const", new_string: "let" }),
        call("Edit", { file_path: join(folder, "a.ts"), old_string: "const", new_string: "let", replace_all: true }),
        call("Write", { file_path: join(folder, "a.ts"), content: "changed\n" }),
        call("Bash", { command: "echo out; echo err >&2; exit 3", description: "Fail" }),
        call("Bash", { command: "true", description: "Print nothing" }),
        call("Bash", { command: "sleep 20", timeout: 1000, description: "Run out of time" }),
        call("Unknown", { a: 1 }),
        call("MultiEdit", { file_path: join(folder, "a.ts"), edits: [{ old_string: "changed", new_string: "twice" }] }),
        call("Read", { path: join(folder, "a.ts") }),
      ),
    ],
  },
  {
    name: "shell-changes",
    prepare: (folder) => {
      writePoem(folder);
      writeFileSync(join(folder, "b.txt"), "alpha\nbeta\n");
    },
    prompts: [{ text: "[go] change files by shell" }],
    scripts: (folder) => [
      script(
        {
          calls: [
            { name: "Read", input: { file_path: join(folder, "a.ts") } },
            { name: "Read", input: { file_path: join(folder, "b.txt") } },
          ],
        },
        call("Bash", { command: "sleep 1; echo '// more' >> a.ts; echo told", description: "Append" }),
        call("Bash", { command: "sed -i s/alpha/ALPHA/ b.txt; sed -i s/value9/value99/ a.ts", description: "Change" }),
        call("Read", { file_path: join(folder, "b.txt") }),
        call("Bash", { command: "echo nothing", description: "Change nothing" }),
        {
          ...call("Bash", { command: "ls", description: "List" }),
          before: () => appendFileSync(join(folder, "b.txt"), "by another hand\n"),
        },
        call("Edit", { file_path: join(folder, "b.txt"), old_string: "beta", new_string: "BETA" }),
        {
          ...call("Edit", { file_path: join(folder, "a.ts"), old_string: "value7 = 7", new_string: "value7 = 77" }),
          before: () => appendFileSync(join(folder, "a.ts"), "// by another hand\n"),
        },
        call("Read", { file_path: join(folder, "a.ts") }),
        call("Bash", { command: "rm b.txt", description: "Remove" }),
        call("Read", { file_path: join(folder, "b.txt") }),
      ),
    ],
  },
  {
    name: "changed-between-turns",
    prepare: writePoem,
    prompts: [{ text: "[go] read it" }, { text: "and again" }, { text: "once more" }],
    scripts: (folder) => [
      script(
        call("Read", { file_path: join(folder, "a.ts") }),
        { text: "Read once.", before: () => undefined },
        call("Read", { file_path: join(folder, "a.ts") }),
        { text: "Read twice.", before: () => appendFileSync(join(folder, "a.ts"), "// by another hand\n") },
        call("Read", { file_path: join(folder, "a.ts") }),
        { text: "Read three times." },
      ),
    ],
  },
  {
    name: "long-output",
    prepare: writePoem,
    prompts: [{ text: "[go] print much" }],
    scripts: () => [
      script(
        call("Bash", { command: "seq 1 40", description: "Count a little" }),
        call("Bash", { command: "seq 1 20000", description: "Count" }),
        call("Bash", { command: "seq 1 20000; exit 4", description: "Count and fail" }),
        call("Bash", { command: "sleep 5", run_in_background: true, description: "Wait" }),
        call("Grep", { pattern: "value1", output_mode: "content" }),
        call("Glob", { pattern: "*.ts" }),
      ),
    ],
  },
  {
    name: "parallel",
    prepare: (folder) => {
      writePoem(folder);
      writeFileSync(join(folder, "b.txt"), "alpha\nbeta\n");
    },
    prompts: [{ text: "[go] do things at once" }],
    scripts: (folder) => [
      script(
        {
          thinking: "Read and edit together.",
          text: "Both at once.",
          calls: [
            { name: "Read", input: { file_path: join(folder, "a.ts") } },
            {
              name: "Edit",
              input: { file_path: join(folder, "a.ts"), old_string: "value3 = 3", new_string: "value3 = 33" },
            },
          ],
        },
        {
          thinking: "Slow and quick together.",
          calls: [
            { name: "Bash", input: { command: "sleep 1; echo slow", description: "Be slow" } },
            { name: "Read", input: { file_path: join(folder, "b.txt") } },
            { name: "Bash", input: { command: "exit 2", description: "Fail" } },
            { name: "Read", input: { file_path: join(folder, "a.ts") } },
          ],
        },
      ),
    ],
  },
  {
    name: "notebook",
    prepare: (folder) => writeFileSync(join(folder, "book.ipynb"), NOTEBOOK),
    prompts: [{ text: "[go] work on the notebook" }],
    scripts: (folder) => [
      script(
        call("Read", { file_path: join(folder, "book.ipynb") }),
        call("NotebookEdit", { notebook_path: join(folder, "book.ipynb"), cell_id: "first", new_source: "print(2)" }),
        call("Read", { file_path: join(folder, "book.ipynb") }),
        call("Read", { file_path: join(folder, "book.ipynb") }),
        call("Edit", { file_path: join(folder, "book.ipynb"), old_string: "print", new_string: "show" }),
      ),
    ],
  },
  {
    name: "child",
    prepare: writePoem,
    prompts: [{ text: "[go] delegate" }],
    scripts: (folder) => [
      {
        match: "child-work",
        steps: [call("Read", { file_path: join(folder, "a.ts") }), { text: "The child has read it." }],
      },
      script(
        call("Read", { file_path: join(folder, "a.ts") }),
        call("Task", {
          description: "Read a file",
          prompt: "[child-work] read a.ts",
          subagent_type: "general-purpose",
        }),
        call("Agent", {
          description: "Read a file",
          prompt: "[child-work] read a.ts",
          subagent_type: "general-purpose",
          run_in_background: false,
        }),
        call("Read", { file_path: join(folder, "a.ts") }),
      ),
    ],
  },
  {
    name: "compaction",
    prepare: writePoem,
    prompts: [{ text: "[go] read, then fold" }, { text: "/compact" }, { text: "go on" }],
    scripts: (folder) => [
      {
        match: "after-compact",
        steps: [
          call("Read", { file_path: join(folder, "a.ts") }),
          call("Edit", { file_path: join(folder, "a.ts"), old_string: "value5 = 5", new_string: "value5 = 55" }),
        ],
      },
      script(
        call("Read", { file_path: join(folder, "a.ts") }),
        call("Edit", { file_path: join(folder, "a.ts"), old_string: "value3 = 3", new_string: "value3 = 33" }),
        { text: "Ready to fold." },
      ),
    ],
  },
  {
    name: "tool-server",
    prepare: writePoem,
    withToolServer: true,
    prompts: [{ text: "[go] ask the server", env: { MAX_MCP_OUTPUT_TOKENS: "400000" } }],
    scripts: () => [
      script(call("mcp__answering__answer", { lines: 40 }), call("mcp__answering__answer", { lines: 4200 })),
    ],
  },
  {
    name: "not-permitted",
    prepare: writePoem,
    asksPermission: true,
    prompts: [{ text: "[go] what is not permitted" }],
    scripts: (folder) => [
      script(
        call("Read", { file_path: join(folder, "a.ts") }),
        call("Bash", { command: "touch made.txt", description: "Make a file" }),
        call("Edit", { file_path: join(folder, "a.ts"), old_string: "value3 = 3", new_string: "value3 = 33" }),
        call("Read", { file_path: join(folder, "a.ts") }),
      ),
    ],
  },
  {
    name: "interrupted",
    prepare: writePoem,
    prompts: [{ text: "[go] be interrupted", interruptAfterMs: 9_000 }, { text: "and go on" }],
    scripts: (folder) => [
      script(
        call("Read", { file_path: join(folder, "a.ts") }),
        call("Bash", { command: "timeout 60 tail -f /dev/null", description: "Take long" }),
        call("Read", { file_path: join(folder, "a.ts") }),
      ),
    ],
  },
];

const NOTEBOOK = JSON.stringify({
  cells: [
    {
      cell_type: "code",
      id: "first",
      execution_count: 1,
      metadata: {},
      source: ["print(1)"],
      outputs: [{ output_type: "stream", name: "stdout", text: ["1\n"] }],
    },
    { cell_type: "markdown", id: "second", metadata: {}, source: ["Some words"] },
  ],
  metadata: { language_info: { name: "python" } },
  nbformat: 4,
  nbformat_minor: 5,
});

function script(...steps: readonly ScriptedStep[]): Script {
  return { match: "go", steps };
}

function call(name: string, input: object): ScriptedStep {
  return { calls: [{ name, input }] };
}

function writePoem(folder: string): void {
  writeFileSync(join(folder, "a.ts"), `${POEM}\n`);
}

function numbered(count: number, words: string): string {
  return Array.from({ length: count }, (_, index) => `${words} ${index + 1}\n`).join("");
}
