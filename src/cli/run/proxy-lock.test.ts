import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resolveConfig } from "../../config/resolve.ts";
import type { ResolvedConfig } from "../../config/resolved.ts";
import { packageVersion } from "../version.ts";
import { LOCKS_FOLDER_NAME, lockProxy, type ProxyLock, readLocks } from "./proxy-lock.ts";

let config: ResolvedConfig;
let dataFolder = "";
let folder = "";
let known: ProxyLock;

beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), "ebb-locks-"));
  folder = join(dataFolder, LOCKS_FOLDER_NAME);
  const place = { env: {}, cwd: dataFolder, home: dataFolder, platform: process.platform };
  config = resolveConfig({ configFile: null, values: new Map([["data_folder", dataFolder]]) }, place);
  known = {
    pid: process.pid,
    owner: "proxy",
    host: "127.0.0.1",
    port: 4141,
    version: packageVersion(),
    upstream: "https://api.anthropic.com",
    mode: "enforce",
    digest: config.digest,
    started_ms: expect.any(Number),
  };
});

afterEach(() => rmSync(dataFolder, { recursive: true, force: true }));

function place(name: string, content: unknown): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content), { mode: 0o600 });
}

/** Id of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

describe("a lock", () => {
  test("is there while its proxy serves, for its user alone, and gone afterwards", () => {
    const remove = lockProxy(config, 4141, "proxy");
    expect(readLocks(dataFolder)).toEqual([known]);
    expect(statSync(join(folder, `${process.pid}.json`)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    remove();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("stays when another proxy of the process has taken its place", () => {
    const remove = lockProxy(config, 4141, "proxy");
    lockProxy(config, 4142, "run");
    remove();
    expect(readLocks(dataFolder)).toEqual([{ ...known, port: 4142, owner: "run" }]);
  });

  test("of a process that is no more is ignored and removed", () => {
    const pid = deadPid();
    place(`${pid}.json`, { ...known, started_ms: 1, pid });
    expect(readLocks(dataFolder)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("that others can read, that is a link or that cannot be read does not count, and is left", () => {
    const name = `${process.pid}.json`;
    place(name, { ...known, started_ms: 1 });
    expect(readLocks(dataFolder)).toHaveLength(1);
    for (const mode of [0o640, 0o604, 0o602]) {
      chmodSync(join(folder, name), mode);
      expect([mode, readLocks(dataFolder)]).toEqual([mode, []]);
    }
    chmodSync(join(folder, name), 0o600);
    renameSync(join(folder, name), join(folder, "elsewhere"));
    symlinkSync("elsewhere", join(folder, name));
    mkdirSync(join(folder, "1.json"));
    expect(readLocks(dataFolder)).toEqual([]);
    expect(readdirSync(folder).toSorted()).toEqual(["1.json", name, "elsewhere"].toSorted());
  });

  test.skipIf(process.getuid?.() !== 0)("of another user does not count, and is left", () => {
    const name = `${process.pid}.json`;
    place(name, { ...known, started_ms: 1 });
    chownSync(join(folder, name), 65_534, 65_534);
    expect(readLocks(dataFolder)).toEqual([]);
    expect(readdirSync(folder)).toEqual([name]);
  });

  test("that is no lock, or lies under another name, is ignored and removed; other files stay", () => {
    place("1.json", "{");
    place("2.json", { ...known, port: "4141" });
    place("3.json", { ...known, started_ms: 1 });
    place("notes.txt", "mine");
    expect(readLocks(dataFolder)).toEqual([]);
    expect(readdirSync(folder)).toEqual(["notes.txt"]);
  });
});

test("no folder means no locks, and where none can be made there is none", () => {
  const file = join(dataFolder, "file");
  writeFileSync(file, "");
  expect(() => lockProxy({ ...config, dataFolder: file }, 4141, "proxy")()).not.toThrow();
  expect(readLocks(join(dataFolder, "nowhere"))).toEqual([]);
});
