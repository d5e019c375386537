import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { acquired, commitOf, denseBytes, itemOf, opened, originalOf } from "../testing/test-store-samples.ts";
import { openSqliteStore } from "./sqlite.ts";

/** These tests need a small file system of their own; where mounting is not permitted they are skipped. */
const canMount = tryMount();

let folder = "";
let file = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-disk-"));
  file = join(folder, "ebb.sqlite");
  if (canMount) mount(folder, "size=1m");
});

afterEach(() => {
  if (canMount) spawnSync("umount", [folder]);
  rmSync(folder, { recursive: true });
});

describe.skipIf(!canMount)("on a disk of one megabyte", () => {
  test("a commit that does not fit is refused as full, whole, and all before it stays", async () => {
    const ballast = join(folder, "ballast");
    writeFileSync(ballast, denseBytes("ballast", 600_000));
    const store = openSqliteStore({ file });
    const acknowledged: string[] = [];
    let refusal: unknown = null;
    let number = 0;
    for (; refusal === null && number < 200; number++) {
      await store.commit(numbered(number)).then(
        () => acknowledged.push(`l-${number}`),
        (failure: unknown) => {
          refusal = failure;
        },
      );
    }
    expect(refusal).toMatchObject({ code: "store_full" });
    expect(acknowledged.length).toBeGreaterThan(2);
    expect(await store.loadLineage("t", `l-${number - 1}`)).toEqual([]);
    rmSync(ballast);
    expect(await store.commit(numbered(number - 1))).toEqual({ ok: true, seq: 2 });
    await store.close();
    const after = openSqliteStore({ file });
    for (const lineage of acknowledged) expect(await after.loadLineage("t", lineage)).toHaveLength(2);
    expect((await after.size()).originals).toBe(acknowledged.length + 1);
    expect(await after.check()).toEqual([]);
    await after.close();
  });

  test("a read-only file system is refused as unwritable, whether the store is there or not", async () => {
    const store = openSqliteStore({ file });
    await store.commit(numbered(1));
    await store.close();
    expect(spawnSync("mount", ["-o", "remount,ro", folder]).status).toBe(0);
    expect(() => openSqliteStore({ file })).toThrow(expect.objectContaining({ code: "store_unwritable" }));
    expect(() => openSqliteStore({ file: join(folder, "new", "ebb.sqlite") })).toThrow(
      expect.objectContaining({ code: "store_unwritable" }),
    );
  });
});

function numbered(number: number) {
  const original = originalOf(denseBytes(`original ${number}`, 12_000));
  const entries = [opened(`s-${number}`), acquired(itemOf(`call-${number}`, original))];
  return commitOf({ lineage: `l-${number}`, entries, originals: [original] });
}

function tryMount(): boolean {
  const probe = mkdtempSync(join(tmpdir(), "ebb-mount-"));
  const isMounted = mount(probe, "size=1m");
  if (isMounted) spawnSync("umount", [probe]);
  rmdirSync(probe);
  return isMounted;
}

function mount(target: string, options: string): boolean {
  return spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", target]).status === 0;
}
