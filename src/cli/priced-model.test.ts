import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, numbered, result, text } from "../../test/support/conversation.ts";
import { createSessionLog } from "../../test/support/session-log.ts";
import type { ComparisonReport } from "../replay/comparison.ts";
import type { SessionFigures } from "../replay/replay-report.ts";
import type { Io } from "./io.ts";
import { main } from "./main.ts";

const folder = mkdtempSync(join(tmpdir(), "ebb-priced-"));
const MINUTE = 60_000;
const LONG = numbered(
  Array.from({ length: 400 }, (_, line) => `const value${line} = compute(${line}, "x");`).join("\n"),
);

beforeAll(() => {
  const log = createSessionLog("someone-else");
  log.say("user", "look at a.ts");
  log.say("assistant", [call("r1", "Read", { file_path: "/w/a.ts" })]);
  log.say("user", [result("r1", LONG)]);
  log.say("assistant", [call("e1", "Edit", { file_path: "/w/a.ts", old_string: "1", new_string: "2" })]);
  log.say("user", [result("e1", "The file /w/a.ts has been updated.")]);
  log.say("assistant", [text("done")]);
  log.say("user", "go on", 20 * MINUTE);
  log.say("assistant", [text("done")]);
  writeFileSync(join(folder, "session.jsonl"), log.text());
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a recording priced as if another model had got it", () => {
  test("has that model's prices and cache rules, and its own where none is named", async () => {
    expect((await figures()).baseline_cost_usd).toBeNull();
    const short = await figures("--model", "claude-haiku-4-5");
    const long = await figures("--provider", "openai", "--model", "gpt-5.2");
    expect(short.baseline_cost_usd).toBeGreaterThan(0);
    expect(long.baseline_cost_usd).toBeGreaterThan(0);
    expect(long.baseline_cost_usd).not.toBe(short.baseline_cost_usd);
    expect(short.baseline_token_turns).toBe(long.baseline_token_turns);
    // Twenty minutes later the first one's cache has expired, the second one's has not.
    expect(long.baseline_cache_read_tokens - short.baseline_cache_read_tokens).toBeGreaterThan(3_000);
  });

  test("takes for cold what that model no longer holds", async () => {
    const free = { pays: false, components: { readlifecycle: { quiet_steps: 0 } } };
    writeFileSync(join(folder, "free.yaml"), JSON.stringify(free));
    const left = async (...flags: readonly string[]) =>
      (await figures("--config", "free.yaml", ...flags)).left.map(({ moment }) => moment);
    expect(await left("--model", "claude-sonnet-4-6")).toEqual(["cold"]);
    expect(await left("--provider", "openai", "--model", "gpt-5.2")).toEqual([]);
  });

  test("goes into every configuration of a comparison", async () => {
    const { out } = await run("--compare", "none,tidy", "--model", "claude-sonnet-4-6", "--json");
    const report: ComparisonReport = JSON.parse(out);
    expect(report.comparisons.map(({ totals }) => totals.baseline_cost_usd)).toEqual([
      expect.any(Number),
      report.comparisons[0]?.totals.baseline_cost_usd,
    ]);
  });

  test.each([
    [["--provider", "opnai", "--model", "gpt-5.2"], "--provider: expected one of anthropic, openai"],
    [["--provider", "openai"], "--provider: expected --model beside it, one of gpt-5.6-sol"],
    [["--provider", "openai", "--model", "gpt-5.22"], 'got "gpt-5.22", did you mean gpt-5.2?'],
    [["--provider", "openai", "--model", "gpt-4.1"], "--model: no price is on record for gpt-4.1"],
  ])("is refused: %j", async (flags, words) => {
    const { code, out, err } = await run(...flags);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(words);
  });
});

async function figures(...flags: readonly string[]): Promise<SessionFigures> {
  const { out } = await run("--json", ...flags);
  const { sessions }: { sessions: readonly [SessionFigures] } = JSON.parse(out);
  return sessions[0];
}

async function run(...flags: readonly string[]) {
  const said = { out: "", err: "" };
  const io: Io = {
    out: (chunk) => {
      said.out += String(chunk);
    },
    err: (words) => {
      said.err += words;
    },
    place: { env: {}, cwd: folder, home: folder, platform: "linux" },
    isInteractive: false,
    progress: process.stderr,
    ask: async () => "",
    untilStopped: async () => undefined,
  };
  return { code: await main(["replay", "session.jsonl", ...flags], io), ...said };
}
