import { existsSync, mkdirSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type InitHome, openInitHome } from "../../../test/support/init/init-home.ts";

const SETTINGS = ".claude/settings.json";
const SERVERS = ".claude.json";
const TEXT = '{\n  "theme": "dark"\n}\n';
const RECORDS = ".local/share/ebb/clients";

let home: InitHome;
beforeEach(() => {
  home = openInitHome();
  home.write(SETTINGS, TEXT);
  mkdirSync(home.dataFolder, { recursive: true, mode: 0o700 });
});
afterEach(() => home.close());

const records = (): readonly string[] => (existsSync(home.path(RECORDS)) ? readdirSync(home.path(RECORDS)) : []);
const recordFile = (): string => `${RECORDS}/${records().find((name) => name.endsWith(".json"))}`;

async function expectUndone(): Promise<void> {
  const { code, err } = await home.run(["remove", "claude", "--yes"]);
  expect([code, err]).toEqual([0, ""]);
  expect([home.read(SETTINGS), home.read(SERVERS), records()]).toEqual([TEXT, null, []]);
}

describe("of two commands at once", () => {
  test("the second init writes nothing, and leaves the record of the first", async () => {
    const answer = async (): Promise<string> => {
      expect((await home.run(["init", "claude", "--yes"])).code).toBe(0);
      return "y";
    };
    const { code, err } = await home.run(["init", "claude"], { answer });
    expect([code, err]).toEqual([1, expect.stringMatching(/changed meanwhile|came in between/)]);
    await expectUndone();
  });

  test("the one that asked longer finds that the record is another one", async () => {
    await home.run(["init", "claude", "--yes"]);
    const before = home.read(SETTINGS);
    const asked = home.run(["init", "claude", "--port", "5000"], {
      answer: () => {
        const text = home.read(recordFile()) ?? "";
        home.write(recordFile(), text.replace('"isWhole": true', '"isWhole": false'));
        return "y";
      },
    });
    expect(await asked).toMatchObject({ code: 1, err: expect.stringContaining("came in between") });
    expect(home.read(SETTINGS)).toBe(before);
  });

  test.each(["init", "remove"])("a live lock stops %s before anything is written", async (name) => {
    await home.run(["init", "claude", "--yes"]);
    const before = [home.read(SETTINGS), home.read(SERVERS)];
    home.write(`${RECORDS}/lock`, `${process.ppid}\n`);
    const flags = name === "init" ? ["--port", "5000"] : [];
    const { code, err } = await home.run([name, "claude", "--yes", ...flags]);
    expect([code, err]).toEqual([1, expect.stringContaining("is at work; nothing was changed")]);
    expect([home.read(SETTINGS), home.read(SERVERS)]).toEqual(before);
  });

  test.each([
    ["of a process that is gone", "4194305\n", 0],
    ["that is older than any command takes", `${process.ppid}\n`, 120],
    ["that holds nothing", "", 0],
  ])("a lock %s does not count", async (_, content, ageSeconds) => {
    const lock = home.write(`${RECORDS}/lock`, content);
    const at = Date.now() / 1000 - ageSeconds;
    utimesSync(lock, at, at);
    expect((await home.run(["init", "claude", "--yes"])).code).toBe(0);
    expect(records()).not.toContain("lock");
    await expectUndone();
  });
});

describe("a second init that is killed", () => {
  /** The record says port 5000 and the files say what they did before it. */
  const killed = async (): Promise<void> => {
    await home.run(["init", "claude", "--yes"]);
    const [settings, servers, record] = [SETTINGS, SERVERS, recordFile()].map((name) => home.read(name) ?? "");
    const { files } = JSON.parse(record ?? "");
    await home.run(["init", "claude", "--yes", "--port", "5000", "--data-folder", home.dataFolder]);
    const pending = { ...JSON.parse(home.read(recordFile()) ?? ""), former: files };
    home.write(recordFile(), JSON.stringify(pending));
    home.write(SETTINGS, settings ?? "");
    home.write(SERVERS, servers ?? "");
  };

  test("before the files were written is undone by what they hold", async () => {
    await killed();
    await expectUndone();
  });

  test("is done again", async () => {
    await killed();
    expect(await home.run(["init", "claude", "--yes", "--port", "5000"])).toMatchObject({ code: 0, err: "" });
    expect(home.read(SETTINGS)).toContain(":5000");
    expect(home.read(recordFile())).not.toContain("former");
    await expectUndone();
  });

  test("is undone also where the file was changed since", async () => {
    await killed();
    home.write(SETTINGS, (home.read(SETTINGS) ?? "").replace("dark", "light"));
    expect(await home.run(["remove", "claude", "--yes"])).toMatchObject({ code: 0, err: "" });
    expect(home.read(SETTINGS)).toBe(TEXT.replace("dark", "light"));
  });
});

describe("what a killed process left", () => {
  test("goes with the next command: drafts beside the files, copies and drafts without a record", async () => {
    const left = [
      ".claude/.settings.json.ebb-0123456789ab",
      "..claude.json.ebb-0123456789ab",
      `${RECORDS}/claude-user-x.backup`,
      `${RECORDS}/claude-user-x.json.draft`,
    ];
    for (const name of left) home.write(name, "a key");
    const others = [".claude/.settings.json.ebb-mine", ".claude/other.json.ebb-0123456789ab"];
    for (const name of others) home.write(name, "not Ebb's");
    await home.run(["init", "claude", "--yes"]);
    expect(left.map((name) => home.read(name))).toEqual([null, null, null, null]);
    for (const name of left) home.write(name, "a key");
    await expectUndone();
    expect(left.map((name) => home.read(name))).toEqual([null, null, null, null]);
    expect(others.map((name) => home.read(name))).toEqual(["not Ebb's", "not Ebb's"]);
  });

  test("is also folders that were made for a file that never came", async () => {
    await home.run(["init", "pi", "--yes"]);
    home.write(".pi/agent/models.json", "");
    const { code } = await home.run(["remove", "pi", "--yes"]);
    expect([code, existsSync(home.path(".pi/agent/models.json"))]).toEqual([0, true]);
  });

  test("is a lock on the client's file, which counts for nothing once the client itself would break it", async () => {
    home.write(SERVERS, "{}");
    const lock = home.path(".claude.json.lock");
    mkdirSync(lock);
    utimesSync(lock, Date.now() / 1000 - 30, Date.now() / 1000 - 30);
    expect((await home.run(["init", "claude", "--yes"])).code).toBe(0);
    expect(existsSync(join(lock))).toBe(false);
  });
});
