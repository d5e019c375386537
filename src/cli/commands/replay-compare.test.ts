import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ComparisonReport, compareRecording, passesOver } from "../../replay/comparison.ts";
import { comparedConfigurations } from "../compared-settings.ts";
import type { Io } from "../io.ts";
import { main } from "../main.ts";
import { openRecording } from "../replay-settings.ts";

const folder = mkdtempSync(join(tmpdir(), "ebb-compare-"));
const fixtures = resolve(import.meta.dirname, "../../../test/fixtures");
const NAMES = "none,seed,standard,tidy,forced.yaml";
const FILES = ["shell-changes.jsonl", "changed-between-turns.jsonl", "stale-read.jsonl"];

beforeAll(() => {
  writeRequests("shell-changes", "changed-between-turns");
  writeFileSync(join(folder, "stale-read.jsonl"), readFileSync(join(fixtures, "sessions", "stale-read.jsonl")));
  const unpriced = readFileSync(join(fixtures, "sessions", "stale-read.jsonl"), "utf8");
  writeFileSync(join(folder, "unpriced.jsonl"), unpriced.replaceAll(/"model":"[^"]*"/g, '"model":"someone-else"'));
  writeFileSync(
    join(folder, "forced.yaml"),
    "pipeline: [readlifecycle]\ncomponents: { readlifecycle: { min_tokens: 1, stale_at_depth: true } }\n",
  );
  writeFileSync(join(folder, "wrong.yaml"), "pipelin: []\n");
  writeFileSync(join(folder, "ebb.yaml"), "bound: off\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The recorded requests of a situation, one a line. */
function writeRequests(...situations: readonly string[]): void {
  for (const name of situations) {
    const requests: readonly { readonly body: unknown }[] = JSON.parse(
      readFileSync(join(fixtures, "claude-code", "2.0.75", `${name}.json`), "utf8"),
    );
    writeFileSync(join(folder, `${name}.jsonl`), requests.map(({ body }) => `${JSON.stringify(body)}\n`).join(""));
  }
}

describe("a comparison", () => {
  test("shows configurations beside each other, by session and in all", async () => {
    const { code, out } = await run("replay", ...FILES, "--compare", NAMES);
    expect(code).toBe(0);
    await expect(out).toMatchFileSnapshot("../../../test/golden/replay-compare.txt");
  });

  test("as data has every configuration's sessions and totals, null for what is unknown, and says why", async () => {
    const report = await reportOf("stale-read.jsonl", "unpriced.jsonl", "--compare", NAMES);
    expect(report.comparisons.map(({ name }) => name)).toEqual(NAMES.split(","));
    for (const { sessions, totals } of report.comparisons) {
      expect(sessions.map(({ file }) => file)).toEqual(["stale-read.jsonl", "unpriced.jsonl"]);
      const [known, unknown] = sessions;
      for (const figures of [known, unknown, totals]) {
        expect(figures).toMatchObject({
          stale_token_turns: expect.any(Number),
          token_turns: expect.any(Number),
          reanchored_tokens: expect.any(Number),
          peak_window: expect.any(Number),
          regret: { strict: expect.any(Number), use: expect.any(Number), induced: expect.any(Number) },
          law_violations: 0,
        });
      }
      expect(known).toMatchObject({ net_cost_usd: expect.any(Number), unpriced_models: [] });
      expect(known?.baseline_cost_usd).toBeGreaterThan(0);
      const nothing = { net_cost_usd: null, baseline_cost_usd: null, unpriced_models: ["someone-else"] };
      expect(unknown).toMatchObject(nothing);
      expect(totals).toMatchObject(nothing);
      expect(totals.priced).toEqual({
        sessions: 1,
        net_cost_usd: known?.net_cost_usd,
        baseline_cost_usd: known?.baseline_cost_usd,
      });
      expect(known).not.toHaveProperty("left");
    }
  });

  test("gives every configuration the same sessions without Ebb, and `none` nothing else", async () => {
    const { comparisons } = await reportOf(...FILES, "--compare", NAMES);
    const withoutEbb = comparisons.map(({ sessions }) =>
      sessions.map((one) => [one.file, one.requests, one.baseline_token_turns, one.baseline_stale_token_turns]),
    );
    expect(new Set(withoutEbb.map((one) => JSON.stringify(one))).size).toBe(1);
    const [none, , , , forced] = comparisons;
    expect(none?.totals).toMatchObject({ net_cost_usd: 0, released: 0, reanchored_tokens: 0 });
    expect(none?.totals.token_turns).toBe(none?.totals.baseline_token_turns);
    expect(forced?.totals.released).toBeGreaterThan(0);
    expect(forced?.totals.stale_token_turns).toBeLessThan(none?.totals.stale_token_turns ?? 0);
  });

  test("is the same every time", async () => {
    const first = await run("replay", ...FILES, "--compare", NAMES, "--json");
    expect(await run("replay", ...FILES, "--compare", NAMES, "--json")).toEqual(first);
  });

  test("tells of every request of every configuration as it goes, and of the ones without Ebb once", async () => {
    const io = ioWith({}, () => {});
    const configurations = comparedConfigurations(NAMES, io);
    const settings = configurations[0]?.settings;
    if (settings === undefined) throw new Error("there is a configuration");
    const recording = await openRecording("stale-read.jsonl", settings, io);
    let told = 0;
    const sessions = await compareRecording(recording, configurations, () => {
      told += 1;
    });
    const passes = passesOver(recording, configurations);
    expect(passes).toBe(configurations.length + 1);
    expect(sessions.map(({ requests }) => requests)).toEqual(configurations.map(() => told / passes));
  });

  test("names in words what makes a cost unknown, and sums those that are known", async () => {
    const { out } = await run("replay", "stale-read.jsonl", "unpriced.jsonl", "--compare", "none,seed");
    expect(out).toContain("unpriced.jsonl: cost unknown, no price on record for someone-else\n");
    expect(out).toMatch(/all sessions\n {2}none +unknown +unknown /);
    expect(out).toMatch(/1 of 2 sessions, with a known cost\n {2}none +0\.0000 USD +0\.\d{4} USD\n/);
  });
});

describe("the names of a comparison", () => {
  test.each([
    [
      "seeds",
      'expected none, seed, standard, tidy, or a file that ends in .yaml or .yml, got "seeds", did you mean seed?',
    ],
    ["none,", 'expected none, seed, standard, tidy, or a file that ends in .yaml or .yml, got ""'],
    ["toString", 'got "toString"'],
    ["none,tidy,none", '"none" is stated twice'],
    ["wrong.yaml", "wrong.yaml:1: pipelin: unknown key, did you mean pipeline?"],
    ["gone.yml", "gone.yml: the configuration file cannot be read (ENOENT)"],
  ])("are refused before anything is replayed: %s", async (names, words) => {
    const { code, out, err } = await run("replay", "stale-read.jsonl", "--compare", names);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(words);
  });

  test.each(["--config forced.yaml", "--bound off"])("stand alone: %s", async (flags) => {
    const { code, err } = await run("replay", "stale-read.jsonl", "--compare", "none", ...flags.split(" "));
    expect([code, err]).toEqual([
      2,
      `ebb: --compare: expected no ${flags.split(" ")[0]} beside it; name a .yaml file in the list\n`,
    ]);
  });

  test("mean what they state, whatever the environment and the folder say", () => {
    const io = ioWith({ EBB_BOUND: "off" }, () => {});
    const [none, seed, standard, tidy] = comparedConfigurations("none,seed,standard,tidy", io);
    expect(none?.settings.keeper.mode).toBe("off");
    const policies = (one: typeof none) => one?.settings.keeper.policies.map(({ name }) => name);
    expect(policies(seed)).toContain("sizebound");
    expect([seed, standard, tidy].map((one) => one?.settings.keeper.mode)).toEqual(["enforce", "enforce", "enforce"]);
    expect(standard?.settings.keeper.lifetimeRules).toEqual([]);
    expect(tidy?.settings.keeper.lifetimeRules).toHaveLength(3);
  });
});

async function reportOf(...argv: readonly string[]): Promise<ComparisonReport> {
  return JSON.parse((await run("replay", ...argv, "--json")).out);
}

function ioWith(env: Record<string, string>, write: (to: "out" | "err", text: string) => void): Io {
  return {
    out: (chunk) => write("out", String(chunk)),
    err: (text) => write("err", text),
    place: { env, cwd: folder, home: folder, platform: "linux" },
    isInteractive: false,
    progress: process.stderr,
    ask: async () => "",
    untilStopped: async () => undefined,
  };
}

async function run(...argv: readonly string[]) {
  const said = { out: "", err: "" };
  const io = ioWith({}, (to, text) => {
    said[to] += text;
  });
  return { code: await main(argv, io), ...said };
}
