import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "vitest";
import type { Store } from "../model/store.ts";
import { type StoreSpace, testStore } from "../testing/test-store.ts";
import { openSqliteStore } from "./sqlite.ts";

async function createSpace(): Promise<StoreSpace> {
  const folder = mkdtempSync(join(tmpdir(), "ebb-store-"));
  const stores: Store[] = [];
  return {
    isPersistent: true,
    async open(bytesMax) {
      const file = join(folder, "ebb.sqlite");
      const store = openSqliteStore({ file, ...(bytesMax === undefined ? {} : { bytesMax }) });
      stores.push(store);
      return store;
    },
    async dispose() {
      for (const store of stores) await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

describe("the SQLite store", () => {
  for (const { name, run } of testStore(createSpace)) test(name, run);
});
