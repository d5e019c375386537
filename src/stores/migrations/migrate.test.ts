import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { chainFrom, chainOf, commitOf, opened, requestSent } from "../../testing/test-store-samples.ts";
import { openSqliteStore } from "../sqlite.ts";
import { migrateTo1 } from "./0001-initial.ts";
import { MIGRATIONS, migrate } from "./migrate.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-migrate-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

test("a file of schema 1 is brought up, with all that was in it", async () => {
  const file = join(folder, "ebb.sqlite");
  const chain = chainOf(["a", "b"]);
  const current = openSqliteStore({ file });
  await current.commit(commitOf({ entries: [opened("s"), requestSent("r")], chain: chainFrom(chain) }));
  await current.close();
  const raw = new SqliteDatabase(file);
  raw.exec("DROP TABLE anchors");
  raw.pragma("user_version = 1");
  raw.close();
  const store = openSqliteStore({ file });
  expect(await store.findAnchored("t", chain)).toEqual([]);
  expect(await store.findChain("t", chain, null)).toEqual({ lineage: "main", position: 2 });
  const [anchor = ""] = chain;
  const aside = { anchor, attempt: "r", place: "round", seen: [], seenStart: 0, calls: [], digest: "0".repeat(64) };
  const pinned = { type: "aside-pinned", aside: { ...aside, place: "round" } } as const;
  expect(await store.commit(commitOf({ expectedSeq: 2, entries: [pinned] }))).toEqual({ ok: true, seq: 3 });
  expect(await store.findAnchored("t", chain)).toEqual([{ anchor, lineage: "main" }]);
  expect(await store.check()).toEqual([]);
  await store.close();
});

test("step by step and at once lead to the same schema", () => {
  const [stepwise, atOnce] = [new SqliteDatabase(":memory:"), new SqliteDatabase(":memory:")];
  migrate(stepwise, [migrateTo1]);
  migrate(stepwise);
  migrate(atOnce);
  const schemaOf = (database: SqliteDatabase.Database) =>
    database.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY name").all();
  expect(schemaOf(stepwise)).toEqual(schemaOf(atOnce));
  expect(stepwise.pragma("user_version", { simple: true })).toBe(MIGRATIONS.length);
});
