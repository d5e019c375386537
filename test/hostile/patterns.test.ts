import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RE2JS } from "re2js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPatternEngine } from "../../src/keeper/pattern-engine.ts";
import { type FakeUpstream, startUpstream } from "../support/proxy/fake-upstream.ts";
import { callOf, request, resultOf } from "./support/bodies.ts";
import { type System, startSystem } from "./support/system.ts";

/** Long enough that a backtracking engine needs far more than 2^30 steps for each pattern below. */
const LINE = "a".repeat(5_000);

let dataFolder = "";
let upstream: FakeUpstream;
let system: System;

beforeAll(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), "ebb-hostile-"));
  upstream = await startUpstream();
  system = await startSystem({ upstream: upstream.url, dataFolder });
  const body = request(
    `[{"role":"user","content":"hi"},${callOf("c", '{"file_path":"/w/a"}')},${resultOf("c", `${LINE}\\nb\\n`)}]`,
  );
  expect((await system.post(body)).status).toBe(200);
  await system.keeper.close();
});

afterAll(async () => {
  await system.close();
  await upstream.close();
  rmSync(dataFolder, { recursive: true });
});

async function recallBy(pattern: string): Promise<{ readonly status: number; readonly text: string }> {
  const got = await system.ask(`/recall/c?pattern=${encodeURIComponent(pattern)}`);
  return { status: got.status, text: got.body.toString() };
}

describe("a pattern that a backtracking engine would never finish", () => {
  test.each([
    ["(a+)+$", true],
    ["(a|aa)+$", true],
    ["(a|a)*b", false],
    ["(.*a){25}x", false],
    ["(x+x+)+y", false],
    ["(a*)*c", false],
    ["(((((((((.*)*)*)*)*)*)*)*)*)*c", false],
    ["(a?){200}a{200}", true],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", false],
    ["x*".repeat(500), true],
    [`${"(".repeat(200)}a${")+".repeat(200)}c`, false],
  ])("%s is answered", async (pattern, isFound) => {
    const { status, text } = await recallBy(pattern);
    if (status !== 200) expect(JSON.parse(text)).toMatchObject({ failure: "selects nothing" });
    expect(text.includes(LINE)).toBe(isFound);
  });
});

describe("a pattern that is refused in words", () => {
  test.each([
    ["of 1,001 characters", "a".repeat(1_001), /1001 characters/],
    ["with a look-ahead", "(?=a)", /not a regular expression/],
    ["with a back-reference", "(a)\\1", /not a regular expression/],
    ["never closed", "(".repeat(500), /not a regular expression/],
    ["of a class never closed", "[", /not a regular expression/],
    ["of counts in counts", "((((a{0,30}){0,30}){0,30}){0,30})", /not a regular expression/],
    ["that unfolds by counts side by side", "(.{0,9}){0,99}".repeat(60), /unfolds to \d+ steps/],
    ["of many large counts", ".{0,1000}".repeat(100), /unfolds to \d+ steps/],
  ])("%s", async (_name, pattern, words) => {
    const { status, text } = await recallBy(pattern);
    expect([status, JSON.parse(text)]).toEqual([400, { failure: "bad pattern", words: expect.stringMatching(words) }]);
  });

  test("leaves the proxy serving", async () => {
    expect((await system.ask("/healthz")).status).toBe(200);
  });
});

test("whatever pattern is taken is small, so work is bounded by the text alone", () => {
  const engine = createPatternEngine();
  for (const count of [1, 10, 100, 499, 500, 600, 999]) {
    for (const pattern of [`a{${count}}`, `.{0,${count}}`, `(ab?){${count}}`, `[^x]{0,${count}}\\d`]) {
      const isSmall = RE2JS.compile(pattern).programSize() <= 2_000;
      expect([pattern, engine.compile(pattern, false).ok]).toEqual([pattern, isSmall]);
    }
  }
});
