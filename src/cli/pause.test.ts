import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runIn } from "../../test/support/command-io.ts";
import { bodyOf, EMPTY_TALK, read, user } from "../../test/support/conversation.ts";
import { resultIn, send } from "../../test/support/keeper.ts";
import { resolveConfig } from "../config/resolve.ts";
import { keeperSettingsOf, openKeeper } from "./open-keeper.ts";
import { isPausedIn, PAUSE_FILE_NAME, pausedSince } from "./pause-file.ts";
import { durationWords } from "./time-words.ts";

const FILE = Array.from({ length: 400 }, (_, line) => `const value${line} = compute(${line});`).join("\n");

let folder: string;
let data: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-pause-"));
  data = join(folder, "data");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(...argv: readonly string[]) {
  return runIn(folder, [...argv, "--data-folder", data]);
}

function config() {
  const values = new Map([
    ["data_folder", data],
    ["bound", "{ lines: 300, bytes: 262144 }"],
  ]);
  const place = { env: {}, cwd: folder, home: folder, platform: process.platform };
  return resolveConfig({ configFile: null, values }, place);
}

/** A keeper as a proxy of the folder has it. */
function opened() {
  return openKeeper(config(), () => {});
}

describe("whatever stands in place of the pause", () => {
  test.each([
    ["a folder", (file: string) => mkdirSync(file)],
    ["a link to nothing", (file: string) => symlinkSync(join(folder, "nowhere"), file)],
    ["a link to what never ends", (file: string) => symlinkSync("/dev/zero", file)],
    ["a file full of other things", (file: string) => writeFileSync(file, "2020-01-01".repeat(100_000))],
  ])("pauses, and ebb resume ends it: %s", async (_, make) => {
    mkdirSync(data, { mode: 0o700 });
    writeFileSync(join(folder, "kept"), "");
    make(join(data, PAUSE_FILE_NAME));
    expect(isPausedIn(data)).toBe(true);
    expect(await run("pause")).toMatchObject({ code: 0, out: expect.stringContaining("Paused already, since ") });
    const resumed = "Resumed after less than a minute";
    expect(await run("resume")).toMatchObject({ code: 0, err: "", out: expect.stringContaining(resumed) });
    expect([isPausedIn(data), pausedSince(data)]).toEqual([false, null]);
  });

  test("is told of where it cannot be taken away", async () => {
    mkdirSync(join(data, PAUSE_FILE_NAME, "full"), { recursive: true, mode: 0o700 });
    const { code, err } = await run("resume");
    expect([code, err, isPausedIn(data)]).toEqual([1, expect.stringContaining("ENOTEMPTY"), true]);
  });
});

describe("ebb pause and ebb resume", () => {
  test("hold for a running proxy and for one that starts later, and what was sent is repeated", async () => {
    const first = opened();
    const small = read(user(EMPTY_TALK, "go"), "r1", "/w/a.ts", FILE);
    const before = resultIn(await send(first.keeper, bodyOf(small)), "r1");
    expect(before).toContain("[ebb ");
    expect(await run("pause")).toMatchObject({ code: 0, err: "", out: expect.stringContaining("until: ebb resume") });
    const grown = read(small, "r2", "/w/b.ts", FILE);
    const during = await send(first.keeper, bodyOf(grown));
    expect(resultIn(during, "r1")).toBe(before);
    expect(resultIn(during, "r2")).not.toContain("[ebb ");
    expect(first.keeper.stats().paused).toBe(true);
    // What is replayed of recorded sessions is no proxy of the folder.
    expect(keeperSettingsOf(config(), () => {}).isPaused()).toBe(false);
    await first.close();
    const later = opened();
    const third = read(grown, "r3", "/w/c.ts", FILE);
    const restarted = await send(later.keeper, bodyOf(third));
    expect(restarted.startsWith(during.slice(0, during.indexOf('"r2"')))).toBe(true);
    expect(resultIn(restarted, "r3")).not.toContain("[ebb ");
    expect(await run("resume")).toMatchObject({ code: 0, out: expect.stringContaining("Resumed after less than") });
    const after = await send(later.keeper, bodyOf(read(third, "r4", "/w/d.ts", FILE)));
    expect(resultIn(after, "r4")).toContain("[ebb ");
    expect(resultIn(after, "r1")).toBe(before);
    await later.close();
  });

  test("leave one file for the user alone, which says since when, and nothing after", async () => {
    await run("pause");
    const since = pausedSince(data);
    expect(since).toBeGreaterThan(Date.now() - 60_000);
    expect(statSync(join(data, PAUSE_FILE_NAME)).mode & 0o777).toBe(0o600);
    expect((await run("pause")).out).toContain("Paused already, since ");
    expect(pausedSince(data)).toBe(since);
    await run("resume");
    expect(readdirSync(data)).toEqual([]);
    expect(await run("resume")).toMatchObject({ code: 0, out: expect.stringContaining("Not paused") });
  });

  test("are told by ebb stats where no proxy runs", async () => {
    expect((await run("stats", "--port", "1")).out).not.toContain("Paused");
    await run("pause");
    expect((await run("stats", "--port", "1")).out).toMatch(/Paused since \d{4}-.*: nothing new is decided/);
  });

  test("a pause file without a time counts from when it was written; what cannot be looked at counts as paused", async () => {
    await run("pause");
    writeFileSync(join(data, PAUSE_FILE_NAME), "by hand");
    expect(pausedSince(data)).toBeCloseTo(statSync(join(data, PAUSE_FILE_NAME)).mtimeMs);
    expect(isPausedIn(join(data, PAUSE_FILE_NAME))).toBe(true);
  });
});

test.each([
  [20_000, "less than a minute"],
  [120_000, "2 min"],
  [7_500_000, "2 h 5 min"],
  [90_000_000, "1 d 1 h"],
])("%i ms are %s", (ms, words) => expect(durationWords(ms)).toBe(words));
