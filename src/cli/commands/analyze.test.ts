import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dialects } from "../../builtins.ts";
import { SIZE_BOUND_DEFAULT } from "../../policies/size-bound-default.ts";
import type { WhatEbbWouldDo } from "../../replay/analyze/recording-analysis.ts";
import type { Scope } from "../../replay/recording.ts";
import { createAnthropicMessages } from "../../wires/anthropic-messages/index.ts";
import { analyze } from "./analyze.ts";

const sessions = resolve(import.meta.dirname, "../../../test/fixtures/sessions");

interface Ran {
  readonly exitCode: number;
  readonly output: string;
  readonly problems: string;
}

interface Asked {
  readonly scope?: Scope;
  readonly isJson?: boolean;
  readonly isColored?: boolean;
  readonly width?: number;
  readonly defaultFolder?: string;
  readonly whatEbbWouldDo?: WhatEbbWouldDo;
}

async function run(paths: readonly string[], asked: Asked = {}): Promise<Ran> {
  let output = "";
  let problems = "";
  const { exitCode } = await analyze(paths, {
    scope: asked.scope ?? "all",
    isJson: asked.isJson ?? false,
    isColored: asked.isColored ?? false,
    width: asked.width ?? null,
    defaultFolder: asked.defaultFolder ?? "nowhere",
    parts: {
      wires: [createAnthropicMessages()],
      dialects,
      shell: null,
      evidence: { bashEdits: false, harnessNotices: false, shellReads: "auto" },
      counter: { count: (text) => Math.ceil(text.length / 4) },
      bound: SIZE_BOUND_DEFAULT,
    },
    openTables: null,
    whatEbbWouldDo: asked.whatEbbWouldDo ?? null,
    output: { write: (text) => (output += text) },
    problems: { write: (text) => (problems += text) },
    progress: null,
  });
  return { exitCode, output, problems };
}

async function json(name: string, asked: Asked = {}) {
  const { output } = await run([join(sessions, name)], { ...asked, isJson: true });
  return JSON.parse(output);
}

describe("analyze --json", () => {
  it("counts stale, superseded, fresh, failed and unanswered reads of one file", async () => {
    const { sessions: found, totals, skipped } = await json("stale-read.jsonl");
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ contexts: 1, requests: 7, edits: 1, failed_calls: 1, repeats: { count: 1 } });
    const { stale, superseded, fresh, failed, unanswered, images } = found[0].reads;
    expect([stale.count, superseded.count, fresh.count, failed, unanswered, images.count]).toEqual([1, 1, 2, 1, 0, 0]);
    expect(stale.bytes).toBeGreaterThan(3_000);
    expect(stale.share + superseded.share + fresh.share).toBeCloseTo(1);
    expect(totals).toMatchObject({ sessions: 1, requests: 7 });
    expect(skipped).toEqual([]);
  });

  it("reads a context across compactions, or only what follows the last one", async () => {
    const all = (await json("folds.jsonl")).sessions[0];
    const live = (await json("folds.jsonl", { scope: "live" })).sessions[0];
    expect([all.reads.stale.count, all.reads.fresh.count, all.requests]).toEqual([1, 1, 6]);
    expect([live.reads.stale.count, live.reads.fresh.count, live.requests]).toEqual([0, 1, 2]);
  });

  it("counts a cleared result only as long as it was in the window", async () => {
    const { residents } = (await json("folds.jsonl")).sessions[0];
    const big = residents.find((resident: { label: string }) => resident.label === "Read /project/shop/big.js:1-200");
    expect(big).toMatchObject({ requests: 1, token_turns: big.tokens });
    expect(big.address).toMatch(/^[0-9a-z]{12}$/);
  });

  it("gives a tool's share of everything all requests sent", async () => {
    const session = (await json("read-only.jsonl")).sessions[0];
    const read = session.tools.find((tool: { tool: string }) => tool.tool === "Read");
    expect(read).toMatchObject({ calls: 1, token_turns: read.tokens * 2 });
    expect(read.share).toBeCloseTo(read.token_turns / session.input_tokens);
    expect(session.overhead_token_turns).toBeGreaterThan(3 * 6_000);
  });

  it("adds the sessions up in its totals", async () => {
    const { sessions: found, totals } = await json("");
    const sum = (of: (session: { reads: { stale: { bytes: number } }; input_tokens: number }) => number): number =>
      found.map(of).reduce((a: number, b: number) => a + b, 0);
    expect(totals.sessions).toBe(6);
    expect(totals.input_tokens).toBe(sum((session) => session.input_tokens));
    expect(totals.reads.stale.bytes).toBe(sum((session) => session.reads.stale.bytes));
    expect(totals.words).toContain("Could leave:");
  });

  it("lists the problems of a file by line", async () => {
    const { problems } = (await json("sides.jsonl")).sessions[0];
    expect(problems.map((problem: { line: number }) => problem.line)).toEqual([11, 13, 14]);
  });
});

describe("analyze for people", () => {
  it("says plainly that nothing is stale in a read-only investigation", async () => {
    const { output, exitCode } = await run([join(sessions, "read-only.jsonl")]);
    expect(output).toContain("Read-only investigation: nothing here is stale.");
    expect(exitCode).toBe(0);
  });

  it("names what could leave, and what Ebb would do when it was asked", async () => {
    const path = join(sessions, "stale-read.jsonl");
    expect((await run([path])).output).toMatch(/Could leave: 1 stale read \(about [\d,]+ tokens\), 1 superseded read/);
    const would: WhatEbbWouldDo = async () => ({
      released: [{ reason: "stale", moment: "cold", count: 1, tokens: 900 }],
      declined: [{ reason: "below_min_tokens", items: 1 }],
    });
    expect((await run([path], { whatEbbWouldDo: would })).output).toContain(
      "Ebb would release 1 result (about 900 tokens): 1 stale on a cold cache. Held in at least one request: 1 too small to gain by it.",
    );
    const held: WhatEbbWouldDo = async () => ({ released: [], declined: [{ reason: "cached_prefix", items: 2 }] });
    expect((await run([path], { whatEbbWouldDo: held })).output).toContain(
      "Ebb would release nothing. Held in at least one request: 2 still in the provider's cache.",
    );
  });

  it("gives few sessions a block each, many a line each, and a total", async () => {
    const few = await run([join(sessions, "stale-read.jsonl"), join(sessions, "read-only.jsonl")]);
    expect(few.output.match(/^reads +count/gm)).toHaveLength(3);
    const many = await run([sessions]);
    expect(many.output.match(/^reads +count/gm)).toHaveLength(1);
    expect(many.output).toMatch(/^session +requests +stale/m);
    expect(many.output).toContain("Total of 6 sessions");
    expect(many.output.split("\n").length).toBeLessThan(60);
  });

  it.each([80, 120])("fits a terminal of %i columns", async (width) => {
    for (const paths of [[sessions], [join(sessions, "stale-read.jsonl")]]) {
      const { output } = await run(paths, { width });
      expect(output.split("\n").filter((line) => line.length > width)).toEqual([]);
      expect(output).toMatch(/^largest residents +tokens +(requests +)?token-turns/m);
    }
  });

  it("is plain text unless colour is asked for", async () => {
    const path = join(sessions, "read-only.jsonl");
    const escapeChar = String.fromCharCode(27);
    expect((await run([path])).output).not.toContain(escapeChar);
    expect((await run([path], { isColored: true })).output).toContain(escapeChar);
  });
});

describe("analyze on paths", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ebb-analyze-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("refuses a path that does not exist, with exit code 2 and no report", async () => {
    const missing = join(folder, "gone.jsonl");
    expect(await run([sessions, missing])).toEqual({
      exitCode: 2,
      output: "",
      problems: `ebb: ${missing}: no such file or folder\n`,
    });
  });

  it("says that a folder holds no session, and why its files are none", async () => {
    writeFileSync(join(folder, "notes.json"), '{"a":1}');
    const { exitCode, problems } = await run([folder]);
    expect(exitCode).toBe(1);
    expect(problems).toContain("neither an agent's log nor");
    expect(problems).toContain(`ebb: no recorded session found in ${folder}\n`);
  });

  it("looks below folders for *.jsonl and *.json, and takes a file given twice once", async () => {
    const below = join(folder, "a", "subagents");
    mkdirSync(below, { recursive: true });
    copyFileSync(join(sessions, "stale-read__agent-a1.jsonl"), join(below, "agent-a1.jsonl"));
    copyFileSync(join(sessions, "read-only.jsonl"), join(below, "kept.txt"));
    const { output } = await run([join(folder, "a"), join(below, "agent-a1.jsonl")], { isJson: true });
    expect(JSON.parse(output).sessions.map((session: { file: string }) => session.file)).toEqual([
      join(below, "agent-a1.jsonl"),
    ]);
  });

  it("looks into the default folder when no path is given", async () => {
    const { output } = await run([], { defaultFolder: sessions, isJson: true });
    expect(JSON.parse(output).sessions).toHaveLength(6);
  });
});
