import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../model/store.ts";
import { acquired, commitOf, denseBytes, itemOf, opened, originalOf } from "../testing/test-store-samples.ts";
import { openSqliteStore } from "./sqlite.ts";

let folder = "";
let file = "";
const stores: Store[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-files-"));
  file = join(folder, "data", "ebb.sqlite");
});

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  rmSync(folder, { recursive: true });
});

function open(): Store {
  const store = openSqliteStore({ file });
  stores.push(store);
  return store;
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

/** True when any file of the store holds these bytes. */
function isOnDisk(content: Uint8Array): boolean {
  const needle = Buffer.from(content);
  const data = join(folder, "data");
  return readdirSync(data).some((name) => readFileSync(join(data, name)).includes(needle));
}

describe("files are for their user alone", () => {
  for (const umask of [0o000, 0o022, 0o177]) {
    test(`under umask ${umask.toString(8)}`, async () => {
      const before = process.umask(umask);
      try {
        await open().putOriginals("t", [originalOf("text")], 1);
      } finally {
        process.umask(before);
      }
      expect(modeOf(join(folder, "data"))).toBe("700");
      for (const suffix of ["", "-wal", "-shm"]) expect(modeOf(file + suffix)).toBe("600");
    });
  }

  test("also where they stood open to others before", async () => {
    await open().putOriginals("t", [originalOf("text")], 1);
    for (const suffix of ["", "-wal", "-shm"]) chmodSync(file + suffix, 0o664);
    await open().putOriginals("t", [originalOf("more text")], 1);
    for (const suffix of ["", "-wal", "-shm"]) expect(modeOf(file + suffix)).toBe("600");
  });

  test("and a folder that was there before keeps its mode", () => {
    mkdirSync(join(folder, "data"));
    chmodSync(join(folder, "data"), 0o755);
    open();
    expect(modeOf(join(folder, "data"))).toBe("755");
  });
});

describe("what was removed is gone from the disk", () => {
  const needle = denseBytes("needle", 2_000);
  const original = originalOf(Buffer.concat([denseBytes("before", 5_000), needle, denseBytes("after", 5_000)]));
  const path = "/home/someone/a-telling-name.ts";
  const item = itemOf("call-1", original);
  const entries = [opened("s"), acquired({ ...item, label: { ...item.label, path } })];

  for (const remove of ["purge", "sweep"] as const) {
    test(`after a ${remove}, with the store still open`, async () => {
      const store = open();
      await store.commit(commitOf({ entries, originals: [original] }));
      await store.putOriginals("t", [originalOf("small and kept")], 9_000);
      expect(isOnDisk(needle)).toBe(true);
      expect(isOnDisk(Buffer.from(path))).toBe(true);
      const removed = remove === "sweep" ? store.sweep(5_000, 9_000) : store.purge("t", { kind: "all" }, 9_000);
      expect((await removed).originals).toBeGreaterThan(0);
      expect(isOnDisk(needle.subarray(0, 64))).toBe(false);
      expect(isOnDisk(needle.subarray(-64))).toBe(false);
      expect(isOnDisk(Buffer.from(path))).toBe(false);
    });
  }

  test("also where it shared its page with originals that stay", async () => {
    const store = open();
    const small = originalOf(needle.subarray(0, 120));
    for (const [session, originals] of [
      ["kept", [originalOf(denseBytes("left", 150))]],
      ["removed", [small]],
      ["kept too", [originalOf(denseBytes("right", 150))]],
    ] as const) {
      const acquisitions = originals.map((of) => acquired(itemOf(session, of)));
      await store.commit(commitOf({ lineage: session, entries: [opened(session), ...acquisitions], originals }));
    }
    expect(isOnDisk(small.bytes)).toBe(true);
    expect((await store.purge("t", { kind: "session", sessionId: "removed" }, 9_000)).originals).toBe(1);
    expect(isOnDisk(small.bytes.subarray(16, 80))).toBe(false);
  });

  test("also when its pages had moved from the log into the database", async () => {
    const store = open();
    await store.commit(commitOf({ entries, originals: [original] }));
    await store.close();
    expect(isOnDisk(needle)).toBe(true);
    await open().purge("t", { kind: "session", sessionId: "s" }, 9_000);
    expect(isOnDisk(needle.subarray(0, 64))).toBe(false);
  });

  test("as soon as a reader that forbade it has ended", async () => {
    const store = open();
    await store.commit(commitOf({ entries, originals: [original] }));
    const reader = new SqliteDatabase(file);
    reader.exec("BEGIN; SELECT count(*) FROM originals");
    await store.purge("t", { kind: "all" }, 9_000);
    expect(await store.getOriginal("t", original.digest)).toEqual({ state: "purged", atMs: 9_000 });
    expect(isOnDisk(needle.subarray(0, 64))).toBe(true);
    reader.close();
    await store.sweep(0, 9_000);
    expect(isOnDisk(needle.subarray(0, 64))).toBe(false);
  });

  test("and its room goes back to the file system", async () => {
    const store = open();
    await store.putOriginals("t", [originalOf(denseBytes("large", 3_000_000))], 1);
    await store.purge("t", { kind: "all" }, 2);
    expect(statSync(file).size).toBeLessThan(300_000);
    expect(existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0).toBe(0);
    expect(await store.check()).toEqual([]);
  });
});
