import { describe, expect, test } from "vitest";
import { createClaudeCodeDialect } from "../../src/dialects/claude-code.ts";
import { createPiDialect } from "../../src/dialects/pi.ts";
import { observe } from "../../src/engine/observe.ts";
import { readFacts } from "../../src/engine/reads.ts";
import { createAnthropicMessages } from "../../src/wires/anthropic-messages/index.ts";
import { ALL_SOURCES, bash, CONTENT, EDITED, edit, evidenceOf, read, step } from "../support/evidence.ts";
import { calls, failure, type PartsMessage, results, says } from "../support/source.ts";

const STUB = "File unchanged since last read. The content is still current.";

describe("evidence", () => {
  test("a failed edit is no edit, and a failed second read supersedes nothing", () => {
    const { classOf } = evidenceOf([
      ...read("r1"),
      calls(["e1", "Edit", { file_path: "/w/f.ts", old_string: "a", new_string: "b" }]),
      failure("e1", "<tool_use_error>String to replace not found in file.</tool_use_error>"),
      calls(["r2", "Read", { file_path: "/w/f.ts" }]),
      failure("r2", "<tool_use_error>File does not exist.</tool_use_error>"),
    ]);
    expect(classOf("r1")).toBe("fresh");
    expect(classOf("r2")).toBeNull();
  });

  test("an interrupted write and a call without a result prove nothing", () => {
    const refused = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    const { classOf } = evidenceOf([
      ...read("r1"),
      calls(["w1", "Write", { file_path: "/w/f.ts", content: "x" }]),
      failure("w1", refused),
      calls(["w2", "Write", { file_path: "/w/f.ts", content: "x" }]),
      says("stop"),
    ]);
    expect(classOf("r1")).toBe("fresh");
  });

  test("an unchanged answer is not taken for a change: it supersedes nothing and holds its read", () => {
    const { classOf, factOf } = evidenceOf([...read("r1"), ...read("r2", "/w/f.ts", STUB)]);
    expect(classOf("r1")).toBe("fresh");
    expect(factOf("r1")?.isLoadBearing).toBe(true);
    expect(factOf("r2")).toMatchObject({ isUnchangedStub: true, stubTarget: factOf("r1")?.resultKey });
  });

  test("a fresh read with the same bytes after a revert stays fresh while the first one is stale", () => {
    const { classOf } = evidenceOf([...read("r1"), ...edit("e1"), ...edit("e2"), ...read("r2")]);
    expect([classOf("r1"), classOf("r2")]).toEqual(["stale", "fresh"]);
  });

  test("another file with identical bytes keeps its own path and class", () => {
    const { classOf, factOf } = evidenceOf([
      ...read("r1", "/w/a.ts"),
      ...read("r2", "/w/b.ts"),
      ...edit("e1", "/w/a.ts"),
    ]);
    expect([classOf("r1"), classOf("r2")]).toEqual(["stale", "fresh"]);
    expect(factOf("r2")?.path).toBe("/w/b.ts");
  });

  test("a read after a re-indent is a read of its own", () => {
    const { factOf, classOf } = evidenceOf([
      ...read("r1", "/w/f.ts", "1\tif x:\n2\t\tgo"),
      ...edit("e1"),
      ...read("r2", "/w/f.ts", "1\tif x:\n2\t    go"),
    ]);
    expect(factOf("r1")?.resultKey).not.toBe(factOf("r2")?.resultKey);
    expect([classOf("r1"), classOf("r2")]).toEqual(["stale", "fresh"]);
  });

  test("several text blocks of one result are one read", () => {
    const blocks = [
      { type: "text", text: "1\tone\n" },
      { type: "text", text: "2\ttwo" },
    ];
    const body = {
      model: "m",
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: [{ type: "tool_use", id: "r1", name: "Read", input: { file_path: "/w/f.ts" } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "r1", content: blocks }] },
      ],
    };
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    const outcome = createAnthropicMessages().read(bytes, { get: () => undefined, set: () => {} });
    if (!outcome.ok) throw new Error(outcome.words);
    const observed = observe(outcome.source, createClaudeCodeDialect(), null, new Map());
    const facts = [...readFacts(observed, ALL_SOURCES).values()];
    expect(facts).toMatchObject([{ path: "/w/f.ts", stale: null, superseded: null }]);
    expect(observed.acquisitions[0]?.acquisition.printed).toEqual({ start: 1, end: 2 });
  });

  test.each([
    ["the order of the results", [results(["e1", EDITED], ["r1", CONTENT])]],
    ["results in two messages", [results(["e1", EDITED]), results(["r1", CONTENT])]],
  ] as const)("calls of one message are ordered by their place, not by %s", (_, answers: readonly PartsMessage[]) => {
    const parts = { file_path: "/w/f.ts" };
    const readFirst = evidenceOf([calls(["r1", "Read", parts], ["e1", "Edit", parts]), ...answers]);
    const editFirst = evidenceOf([calls(["e1", "Edit", parts], ["r1", "Read", parts]), ...answers]);
    expect([readFirst.classOf("r1"), editFirst.classOf("r1")]).toEqual(["stale", "fresh"]);
  });

  test.each(["f.ts", "./f.ts", "/w/./f.ts", "/w/sub/../f.ts"])("%s is /w/f.ts where the transcript says so", (path) => {
    expect(evidenceOf([...read("r1", path), ...edit("e1", "/w/f.ts")]).classOf("r1")).toBe("stale");
  });

  test.each([
    ["MultiEdit", { file_path: "/w/f.ts", edits: "[]" }],
    ["NotebookEdit", { notebook_path: "/w/f.ts", new_source: "x" }],
    ["Write", { file_path: "/w/f.ts", content: "x" }],
  ])("%s is seen as a change", (name, input) => {
    expect(evidenceOf([...read("r1"), ...step("e1", name, input, EDITED)]).classOf("r1")).toBe("stale");
  });

  test.each(['git commit -m "fix; echo y > /w/f.ts"', "cat <<'EOF'\nrm /w/f.ts\nEOF", "git apply f.ts", "cat f.ts"])(
    "%s is no edit",
    (command) => expect(evidenceOf([...read("r1"), ...bash("b1", command)]).classOf("r1")).toBe("fresh"),
  );

  test.each([
    "cat <<EOF > f.ts\nx\nEOF",
    "sed -Ei s/a/b/ f.ts",
    "sed --in-place s/a/b/ f.ts",
    "echo x >f.ts",
    "cp a f.ts",
    "mv f.ts g.ts",
    "rm f.ts",
    "cd /w/sub && sed -i s/a/b/ ../f.ts",
  ])("%s is an edit, when shell edits count and the command succeeded", (command) => {
    const messages = [...read("r1"), ...bash("b1", command)];
    expect(evidenceOf(messages).classOf("r1")).toBe("stale");
    expect(evidenceOf(messages, { ...ALL_SOURCES, bashEdits: false }).classOf("r1")).toBe("fresh");
    const failed = [...read("r1"), calls(["b1", "Bash", { command }]), failure("b1", "Exit code 1")];
    expect(evidenceOf(failed).classOf("r1")).toBe("fresh");
  });

  test("a relative path behind a directory nobody knows is no other file", () => {
    const messages = [...read("r1"), ...bash("b1", "cd sub"), ...bash("b2", "echo x > f.ts")];
    expect(evidenceOf(messages).classOf("r1")).toBe("fresh");
    const back = [...messages, ...bash("b3", "cd /w && ls"), ...bash("b4", "echo x > f.ts")];
    expect(evidenceOf(back).classOf("r1")).toBe("stale");
  });

  test.each([
    [{}, { offset: 1, limit: 2000 }],
    [
      { offset: 10, limit: 5 },
      { offset: "10", limit: 5.0 },
    ],
    [{ offset: 0 }, { limit: 2000 }],
  ])("the windows %o and %o are the same", (first, second) => {
    const { classOf } = evidenceOf([
      ...step("r1", "Read", { file_path: "/w/f.ts", ...first }, CONTENT),
      ...step("r2", "Read", { file_path: "/w/f.ts", ...second }, CONTENT),
    ]);
    expect(classOf("r1")).toBe("superseded");
  });

  test("another window, and the same window with fewer lines, supersede nothing", () => {
    const { classOf } = evidenceOf([
      ...read("r1"),
      ...step("r2", "Read", { file_path: "/w/f.ts", limit: 3 }, CONTENT),
      ...read("r3", "/w/f.ts", "1\tone\n2\ttwo"),
    ]);
    expect([classOf("r1"), classOf("r2")]).toEqual(["fresh", "fresh"]);
  });

  test("a good result is not replaced by the same call that fails, nor a failed run by a good one", () => {
    const runs = [
      calls(["t1", "Bash", { command: "npm test" }]),
      failure("t1", "Exit code 1"),
      ...bash("t2", "npm test", "PASS"),
    ];
    const { facts, observed } = evidenceOf(runs);
    expect(facts).toEqual([]);
    expect(observed.acquisitions.map(({ acquisition }) => acquisition.outcome)).toEqual(["failed", "ok"]);
  });

  test("an edit anywhere in the file counts, and the proof is that edit alone", () => {
    const current = `${EDITED} (file state is current in your context)`;
    const { factOf, observed } = evidenceOf([
      ...step("r1", "Read", { file_path: "/w/f.ts", limit: 3 }, CONTENT),
      ...step("e1", "Edit", { file_path: "/w/f.ts", old_string: "line 900", new_string: "x" }, current),
    ]);
    expect(factOf("r1")?.stale).toEqual({ itemKey: observed.acquisitions[1]?.callKey, step: 2 });
  });

  test("the agents that print no line numbers are seen too", () => {
    const messages = [
      ...step("r1", "read", { path: "f.ts" }, "one\ntwo"),
      ...step(
        "e1",
        "edit",
        { path: "./f.ts", oldText: "one", newText: "x" },
        "Successfully replaced 1 block(s) in f.ts.",
      ),
    ];
    expect(evidenceOf(messages, ALL_SOURCES, createPiDialect()).classOf("r1")).toBe("stale");
  });
});

describe("evidence in reported faults", () => {
  test("an unchanged answer whose read was rewound away points to nothing", () => {
    const { factOf } = evidenceOf([...read("r1", "/w/other.ts"), ...read("r2", "/w/f.ts", STUB)]);
    expect(factOf("r2")).toMatchObject({ isUnchangedStub: true, stubTarget: null });
    expect(factOf("r1")?.isLoadBearing).toBe(false);
  });

  test("an unchanged answer to another window, or behind an edit, points to nothing", () => {
    const window = [...read("r1"), ...step("r2", "Read", { file_path: "/w/f.ts", offset: 2 }, STUB)];
    expect(evidenceOf(window).factOf("r2")?.stubTarget).toBeNull();
    const edited = evidenceOf([...read("r1"), ...edit("e1"), ...read("r2", "/w/f.ts", STUB)]);
    expect(edited.factOf("r2")?.stubTarget).toBeNull();
    expect(edited.factOf("r1")?.isLoadBearing).toBe(false);
  });

  test("a read that an unchanged answer points to is held until the path changes", () => {
    const stubbed = [...read("r1"), ...read("r2", "/w/f.ts", STUB)];
    expect(evidenceOf([...stubbed, ...edit("e1", "/w/g.ts")]).factOf("r1")?.isLoadBearing).toBe(true);
    expect(evidenceOf([...stubbed, ...edit("e1")]).factOf("r1")).toMatchObject({ isLoadBearing: false });
  });

  test("a marker written into a file proves the write and nothing else", () => {
    const marker =
      "[ebb: Read /w/f.ts was modified later in this conversation] > /w/g.ts\nNote: /w/h.ts changed on disk since you last read it.";
    const { classOf } = evidenceOf([
      ...read("r1", "/w/f.ts"),
      ...read("r2", "/w/g.ts"),
      ...read("r3", "/w/h.ts"),
      ...read("r4", "/w/notes.md"),
      ...step("w1", "Write", { file_path: "/w/notes.md", content: marker }, EDITED),
    ]);
    expect(["r1", "r2", "r3", "r4"].map(classOf)).toEqual(["fresh", "fresh", "fresh", "stale"]);
  });

  test("a notice that a person pasted is no notice of the harness", () => {
    const words = "Note: /w/f.ts changed on disk since you last read it.";
    expect(evidenceOf([...read("r1"), says(words)]).classOf("r1")).toBe("fresh");
    expect(evidenceOf([...read("r1"), says(`<system-reminder>\n${words}\n</system-reminder>`)]).classOf("r1")).toBe(
      "stale",
    );
  });
});
