import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { expect, test } from "vitest";
import { openSqliteStore } from "./sqlite.ts";
import { FIND_ANCHORED } from "./sqlite-anchors.ts";
import { FIND_ITEMS } from "./sqlite-ledger.ts";

async function planOf(query: string, parameters: object): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "ebb-plans-"));
  const file = join(folder, "ebb.sqlite");
  await openSqliteStore({ file }).close();
  const database = new SqliteDatabase(file);
  const rows = database.prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${query}`).all(parameters);
  database.close();
  rmSync(folder, { recursive: true });
  return rows.map(({ detail }) => detail).join("\n");
}

test("finding an item is one indexed look-up by address and one by call id, never a scan", async () => {
  const plan = await planOf(FIND_ITEMS, { tenantId: 1, id: "call-1" });
  expect(plan).toContain("items_by_address (tenant_id=? AND address=?)");
  expect(plan).toContain("items_by_call (tenant_id=? AND call_id=?)");
  expect(plan).not.toContain("SCAN items");
  expect(plan).not.toContain("SCAN entries");
});

test("finding asides by their anchors is an indexed look-up, never a scan", async () => {
  const plan = await planOf(FIND_ANCHORED, [1, ...(FIND_ANCHORED.match(/\?/g) ?? []).slice(1).map(() => null)]);
  expect(plan).toContain("SEARCH anchors USING PRIMARY KEY (tenant_id=? AND anchor=?)");
  expect(plan).not.toContain("SCAN");
});
