import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  asOrdinaryUser,
  attention,
  dataFolderIn,
  type Examined,
  examineIn,
  findingOf,
  placeIn,
  storeIn,
} from "../../../test/support/doctor/stage.ts";
import { lookAtStore } from "../../stores/sqlite-look.ts";

let home = "";
let file = "";
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "ebb-doctor-test-"));
  file = await storeIn(home);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function examined(env: Readonly<Record<string, string>> = {}): Promise<Examined> {
  return examineIn(placeIn(home, [], env), "--port", "0");
}

/** Bytes of the file turned over from `at` on. */
function damage(at: number, count: number): void {
  const bytes = readFileSync(file).subarray(at, at + count);
  const descriptor = openSync(file, "r+");
  writeSync(
    descriptor,
    bytes.map((byte) => byte ^ 0xff),
    0,
    bytes.length,
    at,
  );
  closeSync(descriptor);
}

/** Where a page of the table of originals lies. */
function pageOf(table: string): number {
  const database = new SqliteDatabase(file, { readonly: true });
  const page = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(table);
  const size = database.pragma("page_size", { simple: true });
  database.close();
  return (Number(page) - 1) * Number(size);
}

describe("a store", () => {
  test("that is sound is left as it is", async () => {
    const before = readFileSync(file);
    const seen = await examined();
    expect([seen.code, attention(seen)]).toEqual([0, []]);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("whose proxy was killed keeps what that left in the log", async () => {
    const database = new SqliteDatabase(file);
    database.pragma("wal_autocheckpoint = 0");
    database.exec("UPDATE lineages SET last_at_ms = last_at_ms + 1");
    const [whole, log] = [readFileSync(file), readFileSync(`${file}-wal`)];
    database.close();
    writeFileSync(file, whole);
    writeFileSync(`${file}-wal`, log);
    const seen = await examined();
    expect([seen.code, attention(seen), log.length > 0]).toEqual([0, [], true]);
    expect([readFileSync(file).equals(whole), readFileSync(`${file}-wal`).equals(log)]).toEqual([true, true]);
  });

  test.each([
    ["its header", 0, 16],
    ["the header's page size", 16, 2],
  ])("with a damaged header (%s) fails, and the other checks go on", async (_, at, count) => {
    damage(at, count);
    const seen = await examined();
    expect([seen.code, attention(seen)]).toEqual([2, ["store/database: fail"]]);
    expect(findingOf(seen, "store", "database")?.fix).toContain(`mv ${file} ${file}.damaged`);
  });

  test.each(["originals", "entries", "sqlite_autoindex_tenants_1"])(
    "with a damaged page of %s fails",
    async (table) => {
      damage(pageOf(table), 64);
      const seen = await examined();
      expect([seen.code, attention(seen)]).toEqual([2, ["store/database: fail"]]);
    },
  );

  test("whose original does not match its digest fails", async () => {
    const database = new SqliteDatabase(file);
    database.exec("UPDATE originals SET bytes = zeroblob(length(bytes))");
    database.close();
    const seen = await examined();
    expect(attention(seen)).toEqual(["store/database: fail"]);
    expect(findingOf(seen, "store", "database")?.words).toContain("does not match its digest");
  });

  test("cut off in the middle fails", async () => {
    writeFileSync(file, readFileSync(file).subarray(0, 6_000));
    expect(attention(await examined())).toEqual(["store/database: fail"]);
  });

  test("of a newer schema, or of another program, fails in these words", async () => {
    const database = new SqliteDatabase(file);
    database.pragma("user_version = 99");
    const newer = await examined();
    expect([newer.code, attention(newer)]).toEqual([2, ["store/database: fail"]]);
    expect(findingOf(newer, "store", "database")?.words).toMatch(/newer Ebb \(schema 99, this one knows \d+\)/);
    database.pragma("application_id = 1");
    database.close();
    rmSync(join(home, "programs"), { recursive: true });
    expect(findingOf(await examined(), "store", "database")?.words).toContain("another program's database");
  });

  test("that reached its cap needs attention", async () => {
    const seen = await examineIn(placeIn(home, [], { EBB_DISK_MAX_BYTES: "10" }), "--port", "0", "--mode", "observe");
    expect([seen.code, attention(seen)]).toEqual([1, ["store/size: warn"]]);
    expect(findingOf(seen, "store", "size")?.fix).toContain("ebb purge --older-than");
  });

  test("that another process holds locked needs attention", async () => {
    const holder = new SqliteDatabase(file);
    holder.exec("BEGIN IMMEDIATE");
    const seen = await examined();
    holder.exec("ROLLBACK");
    holder.close();
    expect([seen.code, attention(seen)]).toEqual([1, ["store/database: warn"]]);
    expect(findingOf(seen, "store", "database")?.words).toContain("locked by another process");
  });

  test("that is read-only fails for whom modes bind", async () => {
    chmodSync(file, 0o400);
    const place = placeIn(home);
    const seen = await asOrdinaryUser(home, () => examineIn(place, "--port", "0"));
    expect([seen.code, attention(seen)]).toEqual([2, ["store/database: fail"]]);
    expect(findingOf(seen, "store", "database")?.fix).toContain(`chmod 600 ${file}`);
    expect(statSync(file).mode & 0o777).toBe(0o400);
  });

  test("where a folder stands in its place fails", async () => {
    rmSync(file);
    mkdirSync(file);
    expect(attention(await examined())).toEqual(["store/database: fail"]);
  });

  test("whose newest entry is of tomorrow says that the clock went back", async () => {
    rmSync(dataFolderIn(home), { recursive: true });
    await storeIn(home, Date.now() + 86_400_000);
    const seen = await examined();
    expect([seen.code, attention(seen)]).toEqual([1, ["clock/system clock: warn"]]);
  });
});

test("a look at a large store verifies its newest originals and says how many", () => {
  const options = { file, wholeBytesMax: 0, sampleMs: 1_000, lockMs: 0, addon: null };
  expect(lookAtStore(options)).toMatchObject({ kind: "opened", sampled: 1, problems: [], unwritable: null });
  const database = new SqliteDatabase(file);
  database.exec("UPDATE originals SET bytes = zeroblob(length(bytes))");
  database.close();
  expect(lookAtStore(options)).toMatchObject({ problems: [expect.stringContaining("does not match")] });
});
