import { closeSync, copyFileSync, mkdtempSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resultIn } from "../support/keeper.ts";
import type { Got } from "../support/proxy/client.ts";
import { type FakeUpstream, startUpstream } from "../support/proxy/fake-upstream.ts";
import { type System, startSystem } from "./support/system.ts";
import { pageResult, pagesBody, refusalIn } from "./support/talks.ts";

let dataFolder = "";
let file = "";
let upstream: FakeUpstream;
const systems: System[] = [];

beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), "ebb-hostile-"));
  file = join(dataFolder, "ebb.sqlite");
  upstream = await startUpstream();
});

afterEach(async () => {
  for (const system of systems.splice(0)) await system.close();
  await upstream.close();
  rmSync(dataFolder, { recursive: true, force: true });
});

async function start(): Promise<System> {
  const system = await startSystem({ upstream: upstream.url, dataFolder });
  systems.push(system);
  return system;
}

/** Results by call id of the newest request that reached the provider. */
function sentResult(id: string): unknown {
  return resultIn(upstream.received.at(-1)?.body.toString() ?? '{"messages":[]}', id);
}

/** A system with one session in which page `a` was released. */
async function startReleased(): Promise<{ readonly system: System; readonly marker: unknown }> {
  const system = await start();
  expect((await system.post(pagesBody("a"))).status).toBe(200);
  const marker = sentResult("a");
  expect(marker).toContain("[ebb ");
  return { system, marker };
}

async function expectScriptOnly(system: System, marker: unknown, code: string): Promise<void> {
  expect((await system.post(pagesBody("a", "b"))).status).toBe(200);
  expect(sentResult("a")).toBe(marker);
  expect(sentResult("b")).toBe(pageResult("b"));
  const stats = await system.stats();
  expect(stats.fallbacks).toEqual({ script_only: 1, original: 0, refused: 0 });
  expect(stats.errors.map((error) => error.code)).toContain(code);
}

/** A conversation nothing was released in goes out as it came, whatever the store does. */
async function expectOriginal(system: System): Promise<void> {
  const body = pagesBody("x");
  expect((await system.post(body)).status).toBe(200);
  expect(upstream.received.at(-1)?.body.equals(body)).toBe(true);
  expect((await system.stats()).fallbacks.original).toBe(1);
}

async function expectRecalled(system: System, id: string): Promise<void> {
  const got = await system.ask(`/recall/${id}?raw`);
  expect([got.status, got.body.toString()]).toEqual([200, pageResult(id)]);
}

describe("a database that another process locks", () => {
  test("repeats what was sent, decides nothing new, and goes on where it was once the lock is gone", async () => {
    const { system, marker } = await startReleased();
    const other = new SqliteDatabase(file);
    other.exec("BEGIN IMMEDIATE");
    await expectScriptOnly(system, marker, "store_locked");
    await expectOriginal(system);
    await expectRecalled(system, "a");
    other.exec("ROLLBACK");
    other.close();
    await system.post(pagesBody("a", "b", "c"));
    expect([sentResult("a"), sentResult("b")]).toEqual([marker, pageResult("b")]);
    const third = sentResult("c");
    expect(third).toContain("[ebb ");
    await expectRecalled(system, "c");
    await system.close();
    const later = await start();
    await later.post(pagesBody("a", "b", "c", "d"));
    expect([sentResult("a"), sentResult("b"), sentResult("c")]).toEqual([marker, pageResult("b"), third]);
  });
});

describe("a database file that is taken away under a live session", () => {
  const takeAway: Readonly<Record<string, () => void>> = {
    removed: () => rmSync(file),
    replaced: () => {
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    },
    "removed with its folder": () => rmSync(dataFolder, { recursive: true }),
    "emptied of its log": () => {
      for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
    },
  };
  test.each(Object.keys(takeAway))("%s: what was sent is repeated, and still comes back", async (kind) => {
    const { system, marker } = await startReleased();
    takeAway[kind]?.();
    await expectScriptOnly(system, marker, "store_unwritable");
    await expectOriginal(system);
    await expectRecalled(system, "a");
    await system.post(pagesBody("a", "b", "c"));
    expect([sentResult("a"), sentResult("b"), sentResult("c")]).toEqual([marker, pageResult("b"), pageResult("c")]);
  });
});

describe("a database that is damaged while it is open", () => {
  test.each(["entries", "chains", "lineages", "originals", "items", "tenants"])(
    "in its table of %s: a session in memory repeats what it sent",
    async (table) => {
      const { system, marker } = await startReleased();
      damageTable(table);
      const got = await system.post(pagesBody("a", "b"));
      expectSameOrRefused(got, marker);
      const stats = await system.stats();
      if (sentResult("b") !== undefined && got.status === 200) expect(stats.law_violations).toBe(0);
    },
  );

  test.each(["entries", "chains", "lineages", "originals", "items", "tenants"])(
    "in its table of %s before a start: a session goes on as it was, or is told to try again",
    async (table) => {
      const { system, marker } = await startReleased();
      await system.close();
      damageTable(table);
      const later = await start().catch((error: unknown) => error);
      if (later instanceof Error) {
        expect(later).toMatchObject({ name: "EbbError", code: "store_corrupt" });
        return;
      }
      if (typeof later !== "object" || later === null || !("port" in later)) throw new Error("no system");
      const got = await systems.at(-1)?.post(pagesBody("a", "b"));
      if (got !== undefined) expectSameOrRefused(got, marker);
    },
  );

  function expectSameOrRefused(got: Got, marker: unknown): void {
    if (got.status === 200) expect(sentResult("a")).toBe(marker);
    else expect([got.status, refusalIn(got)]).toEqual([503, expect.stringContaining("the store")]);
  }

  /** Overwrites the page at which a table's tree begins, in the file itself. */
  function damageTable(table: string): void {
    const database = new SqliteDatabase(file);
    database.pragma("wal_checkpoint(TRUNCATE)");
    const page = Number(database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(table));
    const size = Number(database.pragma("page_size", { simple: true }));
    database.close();
    overwrite(file, (page - 1) * size, Buffer.alloc(64, 0xa5));
  }
});

describe("two proxies on one store", () => {
  test("take turns in one session, and both repeat what either sent", async () => {
    const { system, marker } = await startReleased();
    const second = await start();
    await second.post(pagesBody("a", "b"));
    const markerOfB = sentResult("b");
    expect([sentResult("a"), markerOfB]).toEqual([marker, expect.stringContaining("[ebb ")]);
    await system.post(pagesBody("a", "b", "c"));
    expect([sentResult("a"), sentResult("b")]).toEqual([marker, markerOfB]);
    await expectRecalled(system, "b");
    await expectRecalled(second, "c");
    for (const one of [system, second])
      expect((await one.stats()).fallbacks).toEqual({ script_only: 0, original: 0, refused: 0 });
  });
});

function overwrite(path: string, at: number, bytes: Buffer): void {
  const descriptor = openSync(path, "r+");
  writeSync(descriptor, bytes, 0, bytes.length, at);
  closeSync(descriptor);
}
