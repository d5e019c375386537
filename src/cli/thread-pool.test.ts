import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assert } from "../lib/assert.ts";
import { type ComparisonTask, compareFile, configurationsOf } from "./file-comparison.ts";
import type { Io } from "./io.ts";
import { threadsFor } from "./thread-pool.ts";

const BUILT = resolve(import.meta.dirname, "../../dist/cli/thread-pool.js");
const FIXTURE = resolve(import.meta.dirname, "../../test/fixtures/sessions/stale-read.jsonl");
const folder = mkdtempSync(join(tmpdir(), "ebb-threads-"));
const task: ComparisonTask = {
  list: "none,standard,forced.yaml",
  model: { provider: null, model: "claude-sonnet-4-6" },
  place: { env: {}, cwd: folder, home: folder, platform: "linux" },
};
const FILES = ["one.jsonl", "two.jsonl", "three.jsonl", "four.jsonl"];

beforeAll(() => {
  const lines = readFileSync(FIXTURE, "utf8").trimEnd().split("\n");
  for (const [index, name] of FILES.entries()) {
    writeFileSync(join(folder, name), `${lines.slice(0, lines.length - 2 * index).join("\n")}\nbroken\n`);
  }
  writeFileSync(join(folder, "wrong.jsonl"), "nothing of the kind\n");
  writeFileSync(
    join(folder, "forced.yaml"),
    "pipeline: [readlifecycle]\ncomponents: { readlifecycle: { min_tokens: 1, stale_at_depth: true } }\n",
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("files compared in threads", () => {
  test("come to what they come to one after the other, in their order, and say the same", async () => {
    const { compareInThreads } = await builtPool();
    const inThreads = await compareInThreads(FILES, task, 3, meter());
    const said: string[] = [];
    const io = ioThatHears(said);
    const configurations = configurationsOf(task, io);
    for (const [index, file] of FILES.entries()) {
      said.length = 0;
      const sessions = await compareFile(file, configurations, io, meter());
      expect(JSON.stringify(inThreads[index]?.sessions)).toBe(JSON.stringify(sessions));
      expect(inThreads[index]?.said).toBe(said.join(""));
      expect(said.join("")).toContain(`${file}:`);
    }
  });

  test("tell of all their requests", async () => {
    const { compareInThreads } = await builtPool();
    const told = meter();
    await compareInThreads(FILES, task, 2, told);
    expect(told.done).toBeGreaterThan(0);
    expect(told.done).toBe(told.expected);
  });

  test("leave a file that fails, and what was not begun, to whoever asked", async () => {
    const { compareInThreads } = await builtPool();
    const outcomes = await compareInThreads(["one.jsonl", "wrong.jsonl", "two.jsonl"], task, 1, meter());
    expect(outcomes.map((outcome) => outcome === null)).toEqual([false, true, true]);
  });
});

test("threads are begun for files worth it, and never outside the built program", async () => {
  const { threadsFor: builtThreads } = await builtPool();
  writeFileSync(join(folder, "big.jsonl"), "x".repeat(2_000_000));
  expect(builtThreads(FILES, task.place)).toBe(1);
  expect(builtThreads(["big.jsonl"], task.place)).toBe(1);
  expect(builtThreads(["big.jsonl", "one.jsonl", "gone.jsonl"], task.place)).toBe(Math.min(3, availableParallelism()));
  expect(threadsFor(["big.jsonl", "one.jsonl"], task.place)).toBe(1);
});

async function builtPool(): Promise<typeof import("./thread-pool.ts")> {
  assert(existsSync(BUILT), "the program is built before its tests run");
  return import(pathToFileURL(BUILT).href);
}

function meter() {
  return {
    expected: 0,
    done: 0,
    expect(more: number) {
      this.expected += more;
    },
    advance(more: number) {
      this.done += more;
    },
  };
}

function ioThatHears(said: string[]): Io {
  return {
    out: () => undefined,
    err: (text) => void said.push(text),
    place: task.place,
    isInteractive: false,
    progress: process.stderr,
    ask: async () => "",
    untilStopped: async () => undefined,
  };
}
