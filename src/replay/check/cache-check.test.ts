import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { recordedSessions } from "../../../test/support/shared.ts";
import { createTokenCounter } from "../../keeper/token-counter.ts";
import { anthropicProvider } from "../../providers/anthropic.ts";
import { readRecording } from "../readers/recording-file.ts";
import type { Recording } from "../recording.ts";
import { type CheckedRequest, checkCache } from "./cache-check.ts";

const folder = mkdtempSync(join(tmpdir(), "ebb-check-"));
afterAll(() => rmSync(folder, { recursive: true }));
const counter = createTokenCounter();
const parts = { counter, factsOf: anthropicProvider.modelFacts, traitsOf: anthropicProvider.traitsOf };
const SECOND = 1_000;

/** One request after a wait: what the provider said it read, and wrote. */
interface Step {
  readonly waitMs: number;
  readonly read: number;
  readonly wrote: number;
  readonly thinks?: boolean;
}

async function read(file: string): Promise<Recording> {
  const outcome = await readRecording(file, { counter });
  if (!outcome.ok) throw new Error(outcome.words);
  return outcome.recording;
}

/** A conversation of questions and answers, one request a step. */
async function check(steps: readonly Step[]): Promise<readonly CheckedRequest[]> {
  let atMs = Date.UTC(2026, 0, 1);
  const lines = steps.flatMap(({ waitMs, read: readTokens, wrote, thinks }, index) => {
    atMs += waitMs;
    const timestamp = new Date(atMs).toISOString();
    const common = { sessionId: "s", cwd: "/w", isSidechain: false, timestamp };
    const content = [
      ...(thinks === true ? [{ type: "thinking", thinking: "let me see", signature: "s" }] : []),
      { type: "text", text: `answer ${index}` },
    ];
    const usage = {
      input_tokens: 0,
      cache_read_input_tokens: readTokens,
      cache_creation_input_tokens: wrote,
      output_tokens: 1,
    };
    const message = { id: `m${index}`, role: "assistant", model: "claude-opus-4-5-20251101", content, usage };
    const question = { role: "user", content: `question ${index}` };
    return [
      {
        ...common,
        type: "user",
        uuid: `u${index}`,
        parentUuid: index === 0 ? null : `a${index - 1}`,
        message: question,
      },
      { ...common, type: "assistant", uuid: `a${index}`, parentUuid: `u${index}`, message },
    ];
  });
  const file = join(folder, "session.jsonl");
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
  return checkCache(await read(file), parts);
}

describe("the check of the simulated cache", () => {
  test("predicts that a request reads what the one before it wrote, and nothing once that is too old", async () => {
    const rows = await check([
      { waitMs: 0, read: 0, wrote: 20_000 },
      { waitMs: 10 * SECOND, read: 20_000, wrote: 500 },
      { waitMs: 299 * SECOND, read: 20_500, wrote: 100 },
      { waitMs: 300 * SECOND, read: 0, wrote: 20_700 },
    ]);
    expect(rows.map(({ place, predictedRead }) => [place, predictedRead])).toEqual([
      ["nothing", 0],
      ["request", 20_000],
      ["request", 20_500],
      ["nothing", 0],
    ]);
    expect(rows.map(({ predictedError, cause }) => [predictedError, cause])).toEqual(rows.map(() => [0, null]));
  });

  test("a recorded miss that nothing explains is an error of the whole read", async () => {
    const rows = await check([
      { waitMs: 0, read: 0, wrote: 20_000 },
      { waitMs: 10 * SECOND, read: 0, wrote: 20_500 },
    ]);
    expect(rows[1]).toMatchObject({ predictedRead: 20_000, recordedRead: 0, predictedError: 1, cause: "unknown" });
  });

  test("predicts that a turn which thinks after one that does not loses the messages", async () => {
    const rows = await check([
      { waitMs: 0, read: 12_000, wrote: 8_000 },
      { waitMs: 10 * SECOND, read: 12_000, wrote: 8_500, thinks: true },
      { waitMs: 10 * SECOND, read: 20_500, wrote: 100, thinks: true },
    ]);
    expect(rows.map(({ place }) => place)).toEqual(["nothing", "head", "request"]);
    expect(rows.map(({ cause }) => cause)).toEqual(["before-recording", null, null]);
  });

  test("what comes after the first samples changes no fitted size", async () => {
    const start = Array.from({ length: 6 }, (_, index) => ({
      waitMs: SECOND,
      read: index === 0 ? 0 : 20_000 + 100 * (index - 1),
      wrote: index === 0 ? 20_000 : 100,
    }));
    const rows = await check([...start, { waitMs: SECOND, read: 20_500, wrote: 100 }]);
    const other = await check([...start, { waitMs: SECOND, read: 20_500, wrote: 90_000 }]);
    expect(other.map(({ fittedRead }) => fittedRead)).toEqual(rows.map(({ fittedRead }) => fittedRead));
  });
});

const sessions = join(recordedSessions ?? "", "sessions", "claude-code");

describe.skipIf(recordedSessions === null)("recorded sessions with a usage", () => {
  test("read what the simulated cache says they read", async () => {
    const medians: [string, number][] = [];
    const all: CheckedRequest[] = [];
    for (const name of readdirSync(sessions).sort()) {
      const rows = checkCache(await read(join(sessions, name)), parts);
      const errors = rows.map(({ predictedError }) => predictedError).sort((a, b) => a - b);
      if (rows.length > 0) medians.push([name, errors[Math.floor((errors.length - 1) / 2)] ?? 1]);
      all.push(...rows);
    }
    expect(medians.length).toBeGreaterThan(10);
    expect(medians.filter(([, median]) => median > 0)).toEqual([]);
    expect(all.filter(({ cause }) => cause === null).length / all.length).toBeGreaterThan(0.96);
    expect(all.filter(({ cause }) => cause === "unknown").length / all.length).toBeLessThan(0.005);
  });
});
