import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../model/store.ts";
import { acquired, commitOf, denseBytes, itemOf, opened, originalOf } from "../testing/test-store-samples.ts";
import { openSqliteStore, type SqliteStoreOptions } from "./sqlite.ts";

let folder = "";
let file = "";
const stores: Store[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-failures-"));
  file = join(folder, "ebb.sqlite");
});

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  rmSync(folder, { recursive: true });
});

function open(options: Partial<SqliteStoreOptions> = {}): Store {
  const store = openSqliteStore({ file, busyTimeoutMs: 5, ...options });
  stores.push(store);
  return store;
}

function failureOf(act: () => unknown): { code?: string; message?: string } {
  try {
    act();
  } catch (failure) {
    if (failure instanceof Error) return failure;
  }
  return {};
}

const original = originalOf("text of a file\n".repeat(30));
const first = commitOf({ entries: [opened("s"), acquired(itemOf("call-1", original))], originals: [original] });

describe("a database that another process locks", () => {
  test("refuses writes as locked, with nothing written, and still reads", async () => {
    const store = open();
    await store.commit(first);
    const other = new SqliteDatabase(file);
    other.exec("BEGIN EXCLUSIVE");
    const late = originalOf("late");
    const refused = { code: "store_locked" };
    const second = commitOf({ lineage: "second", entries: [opened("s")], originals: [late] });
    await expect(store.commit(second)).rejects.toMatchObject(refused);
    await expect(store.putOriginals("t", [late], 1)).rejects.toMatchObject(refused);
    await expect(store.purge("t", { kind: "all" }, 1)).rejects.toMatchObject(refused);
    await expect(store.sweep(9_000, 1)).rejects.toMatchObject(refused);
    expect(await store.getOriginal("t", original.digest)).toMatchObject({ state: "present" });
    other.exec("ROLLBACK");
    other.close();
    expect(await store.getOriginal("t", late.digest)).toEqual({ state: "unknown" });
    expect(await store.commit(second)).toEqual({ ok: true, seq: 1 });
  });
});

describe("a file that is not a sound store", () => {
  test("is refused as corrupt when it is no database", () => {
    writeFileSync(file, "not a database, but long enough to have a header of one hundred bytes ".repeat(20));
    expect(failureOf(open)).toMatchObject({ code: "store_corrupt" });
  });

  test("is refused, and left as it is, when it is another program's database", () => {
    const other = new SqliteDatabase(file);
    other.exec("CREATE TABLE notes (text TEXT)");
    other.close();
    expect(failureOf(open)).toMatchObject({
      code: "store_failed",
      message: expect.stringContaining("another program"),
    });
    const after = new SqliteDatabase(file);
    expect(after.prepare("SELECT name FROM sqlite_schema").pluck().all()).toEqual(["notes"]);
    after.close();
  });

  test("is refused with both versions named when its schema is newer", async () => {
    await open().close();
    const newer = new SqliteDatabase(file);
    newer.pragma("user_version = 99");
    newer.close();
    const failure = failureOf(open);
    expect(failure).toMatchObject({ code: "store_failed", message: expect.stringMatching(/version 99.*up to 2/) });
  });

  test("is reported by its check, and refused as corrupt where it is read, when pages are damaged", async () => {
    const store = open();
    await store.commit(first);
    await store.putOriginals("t", [originalOf(denseBytes("large", 200_000))], 1);
    await store.close();
    const descriptor = openSync(file, "r+");
    for (let at = 4_096; at < statSync(file).size; at += 4_096)
      writeSync(descriptor, Buffer.alloc(64, 0xa5), 0, 64, at);
    const damaged = open();
    await expect(damaged.loadLineage("t", "main")).rejects.toMatchObject({ code: "store_corrupt" });
    const problems = await damaged.check().catch((failure: unknown) => [String(failure)]);
    expect(problems.length).toBeGreaterThan(0);
  });

  test("answers `corrupt` for an original whose bytes were altered, and is not healed by writing over it", async () => {
    const store = open();
    await store.commit(first);
    for (const bytes of [Buffer.from("altered"), readRow(file).map((byte, at) => (at === 9 ? byte ^ 1 : byte))]) {
      const other = new SqliteDatabase(file);
      other.prepare("UPDATE originals SET bytes = ?").run(Buffer.from(bytes));
      other.close();
      expect(await store.getOriginal("t", original.digest)).toEqual({ state: "corrupt" });
      expect(await store.check()).toContainEqual(expect.stringContaining(original.digest));
      await store.putOriginals("t", [original], 2);
      expect(await store.getOriginal("t", original.digest)).toEqual({ state: "corrupt" });
    }
  });

  test("names gaps in a ledger and wrong totals in its check", async () => {
    const store = open();
    await store.commit(first);
    const other = new SqliteDatabase(file);
    other.exec("DELETE FROM entries WHERE seq = 1; UPDATE totals SET stored_count = 0");
    other.close();
    const problems = await store.check();
    expect(problems).toContainEqual(expect.stringContaining("main has gaps"));
    expect(problems).toContainEqual(expect.stringContaining("totals differ"));
  });
});

function readRow(path: string): Buffer {
  const database = new SqliteDatabase(path);
  const bytes = database.prepare<[], Buffer>("SELECT bytes FROM originals").pluck().get();
  database.close();
  return bytes ?? Buffer.alloc(0);
}

describe("a path that cannot hold a store", () => {
  test("is refused as unwritable when a file stands where its folder should be", () => {
    writeFileSync(join(folder, "taken"), "");
    for (const path of ["taken/ebb.sqlite", "taken/deeper/ebb.sqlite"]) {
      expect(failureOf(() => open({ file: join(folder, path) }))).toMatchObject({ code: "store_unwritable" });
    }
  });

  test("is refused as unwritable when it is a folder", () => {
    mkdirSync(file);
    expect(failureOf(open)).toMatchObject({ code: "store_unwritable" });
  });
});

describe("a store whose file is taken away while open", () => {
  for (const kind of ["removed", "replaced"] as const) {
    test(`refuses to write into the ${kind} file, where nothing would last`, async () => {
      const store = open();
      await store.commit(first);
      const copy = `${file}.copy`;
      copyFileSync(file, copy);
      if (kind === "removed") rmSync(file);
      else renameSync(copy, file);
      const refused = { code: "store_unwritable", message: expect.stringContaining("removed or replaced") };
      await expect(store.commit(commitOf({ lineage: "next" }))).rejects.toMatchObject(refused);
      await expect(store.putOriginals("t", [originalOf("late")], 1)).rejects.toMatchObject(refused);
      expect(await store.getOriginal("t", original.digest)).toMatchObject({ state: "present" });
    });
  }
});

test("a driver that cannot be loaded is answered with what to run", () => {
  const addon = join(folder, "wrong.node");
  writeFileSync(addon, readFileSync(import.meta.filename));
  expect(failureOf(() => open({ addon }))).toMatchObject({
    code: "store_failed",
    message: expect.stringContaining("npm rebuild better-sqlite3"),
  });
  const absent = failureOf(() => open({ addon: join(folder, "absent.node") }));
  expect(absent).toMatchObject({ code: "store_failed", message: expect.stringContaining("npm rebuild") });
});
