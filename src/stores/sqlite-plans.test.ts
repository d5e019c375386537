import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { expect, test } from "vitest";
import { openSqliteStore } from "./sqlite.ts";
import { FIND_ITEMS } from "./sqlite-ledger.ts";

test("finding an item is one indexed look-up by address and one by call id, never a scan", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ebb-plans-"));
  const file = join(folder, "ebb.sqlite");
  await openSqliteStore({ file }).close();
  const database = new SqliteDatabase(file);
  const rows = database.prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${FIND_ITEMS}`).all({
    tenantId: 1,
    id: "call-1",
  });
  database.close();
  rmSync(folder, { recursive: true });
  const plan = rows.map(({ detail }) => detail).join("\n");
  expect(plan).toContain("items_by_address (tenant_id=? AND address=?)");
  expect(plan).toContain("items_by_call (tenant_id=? AND call_id=?)");
  expect(plan).not.toContain("SCAN items");
  expect(plan).not.toContain("SCAN entries");
});
