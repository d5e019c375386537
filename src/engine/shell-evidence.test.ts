import { describe, expect, test } from "vitest";
import { ALL_SOURCES, evidenceOf, step } from "../../test/support/evidence.ts";
import { createClaudeCodeDialect } from "../dialects/claude-code.ts";
import { createCodexDialect } from "../dialects/codex.ts";
import { createSweAgentDialect } from "../dialects/swe-agent.ts";
import { evidenceSourcesOf } from "./evidence.ts";

const codex = createCodexDialect();
const sections = (output: string) => `Exit code: 0\nWall time: 0 seconds\nOutput:\n${output}`;
const run = (id: string, command: string, output: string) =>
  step(id, "shell_command", { command, workdir: "/w" }, sections(output));
const PATCH = "*** Begin Patch\n*** Update File: f.ts\n@@\n-a\n+b\n*** End Patch";
const patch = (id: string) =>
  step(id, "apply_patch", { input: PATCH }, "Success. Updated the following files:\nM f.ts");
const at = step("at", "shell_command", { command: "true", workdir: "/w" }, sections(""));

describe("a shell read", () => {
  const classes = (shellReads: boolean) => {
    const messages = [
      ...run("r1", "cat /w/f.ts", "a\nb\n"),
      ...run("r2", "sed -n '1,9p' g.ts", "c\n"),
      ...run("r3", "rg -n c g.ts", "1:c\n"),
      ...run("r4", "rg -n c g.ts", "1:c\n"),
      ...run("p1", "cat >/w/f.ts <<'EOF'\nx\nEOF", ""),
      ...run("r5", "cd /w && sed -n '1,9p' g.ts", "c\n"),
    ];
    const { classOf } = evidenceOf(messages, { ...ALL_SOURCES, shellReads }, codex);
    return ["r1", "r2", "r3", "r4", "r5"].map(classOf);
  };

  test("counts as a read where such reads count, and one whose lines nobody knows supersedes none", () => {
    expect(classes(true)).toEqual(["stale", "superseded", "fresh", "fresh", "fresh"]);
  });

  test("is a run like any other where they do not", () => {
    expect(classes(false)).toEqual([null, null, null, null, null]);
  });

  test("is stale behind a patch of its file, whichever lines it printed", () => {
    const { classOf } = evidenceOf(
      [...run("r1", "rg -n c /w/f.ts", "1:c\n"), ...at, ...patch("p1")],
      ALL_SOURCES,
      codex,
    );
    expect(classOf("r1")).toBe("fresh");
    const named = PATCH.replace("f.ts", "/w/f.ts");
    const later = step("p2", "apply_patch", { input: named }, "Success. Updated the following files:\nM f.ts");
    expect(evidenceOf([...run("r1", "rg -n c /w/f.ts", "1:c\n"), ...later], ALL_SOURCES, codex).classOf("r1")).toBe(
      "stale",
    );
  });
});

describe("a relative path behind a command that may have left the directory", () => {
  const swe = createSweAgentDialect();
  const bash = (id: string, command: string, output: string) => step(id, "bash", { command }, output);

  test("is no file that was seen before, where the shell keeps its directory", () => {
    const { classOf } = evidenceOf(
      [
        ...bash("r1", "cat f.py", "a"),
        ...bash("m1", "cd a", ""),
        ...bash("r2", "cat f.py", "a"),
        ...bash("r3", "cat f.py", "a"),
        ...bash("m2", "cd ../b", ""),
        ...bash("r4", "cat ../f.py", "a"),
        ...bash("r5", "cat f.py", "a"),
        ...bash("w1", "rm f.py", ""),
      ],
      { ...ALL_SOURCES, shellReads: true },
      swe,
    );
    expect(["r1", "r2", "r3", "r4", "r5"].map(classOf)).toEqual(["fresh", "superseded", "fresh", "fresh", "stale"]);
  });

  test("is the same file as before, where every command begins anew", () => {
    const messages = [
      ...step("r1", "shell_command", { command: "cat f.ts" }, sections("a\n")),
      ...step("m1", "shell_command", { command: "cd a && ls" }, sections("x\n")),
      ...patch("p1"),
    ];
    expect(evidenceOf(messages, ALL_SOURCES, codex).classOf("r1")).toBe("stale");
  });
});

describe("what counts as evidence of an agent", () => {
  const options = { bashEdits: false, harnessNotices: true };

  test("takes shell reads of agents that have no other way to read, unless it is told otherwise", () => {
    const counts = (shellReads: "auto" | "on" | "off") =>
      [codex, createClaudeCodeDialect()].map(
        (dialect) => evidenceSourcesOf({ ...options, shellReads }, dialect).shellReads,
      );
    expect(counts("auto")).toEqual([true, false]);
    expect(counts("on")).toEqual([true, true]);
    expect(counts("off")).toEqual([false, false]);
  });
});
