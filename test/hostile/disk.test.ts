import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { denseBytes } from "../../src/testing/test-store-samples.ts";
import { resultIn } from "../support/keeper.ts";
import { type FakeUpstream, startUpstream } from "../support/proxy/fake-upstream.ts";
import { type System, startSystem } from "./support/system.ts";
import { pageResult, pagesBody } from "./support/talks.ts";

/** These tests need a small file system of their own; where mounting is not permitted they are skipped. */
const canMount = tryMount();

let folder = "";
let upstream: FakeUpstream;
let system: System | null = null;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ebb-hostile-disk-"));
  if (canMount) mount(folder, "size=2m,mode=0700");
  upstream = await startUpstream();
});

afterEach(async () => {
  await system?.close();
  system = null;
  await upstream.close();
  if (canMount) spawnSync("umount", ["-l", folder]);
  rmSync(folder, { recursive: true });
});

async function start(): Promise<System> {
  system = await startSystem({ upstream: upstream.url, dataFolder: folder });
  return system;
}

function sent(...ids: readonly string[]): readonly unknown[] {
  const body = upstream.received.at(-1)?.body.toString() ?? '{"messages":[]}';
  return ids.map((id) => resultIn(body, id));
}

describe.skipIf(!canMount)("with mounting permitted", () => {
  test("a full disk: what was sent is repeated, what is new stays in full, and all goes on once there is room", async () => {
    const running = await start();
    await running.post(pagesBody("a"));
    const [marker] = sent("a");
    expect(marker).toContain("[ebb ");
    const ballast = join(folder, "ballast");
    fill(ballast);
    const names = ["a", ...Array.from({ length: 30 }, (_, number) => `full-${number}`)];
    const forms = new Map<string, unknown>([["a", marker]]);
    for (let count = 2; count <= names.length; count++) {
      expect((await running.post(pagesBody(...names.slice(0, count)))).status).toBe(200);
      const name = names[count - 1] ?? "";
      forms.set(name, sent(name)[0]);
      expect(sent(...names.slice(0, count))).toEqual(names.slice(0, count).map((each) => forms.get(each)));
    }
    const stats = await running.stats();
    expect(stats.errors.map((error) => error.code)).toContain("store_full");
    expect(stats.fallbacks).toMatchObject({ original: 0, refused: 0 });
    expect(stats.fallbacks.script_only).toBeGreaterThan(0);
    expect(forms.get("full-29")).toBe(pageResult("full-29"));
    expect((await running.ask("/recall/a?raw")).body.toString()).toBe(pageResult("a"));
    rmSync(ballast);
    await running.post(pagesBody(...names, "roomy"));
    expect(sent(...names)).toEqual(names.map((each) => forms.get(each)));
    expect(sent("roomy")[0]).toContain("[ebb ");
    await running.close();
    const later = await start();
    await later.post(pagesBody(...names, "roomy", "later"));
    expect(sent(...names)).toEqual(names.map((each) => forms.get(each)));
    expect((await later.stats()).errors).toEqual([]);
  });
});

/** Takes all the room there is. */
function fill(path: string): void {
  for (let bytes = 2 * 1024 * 1024; bytes > 1024; bytes = Math.floor(bytes * 0.9)) {
    try {
      writeFileSync(path, denseBytes("ballast", bytes));
      return;
    } catch {
      rmSync(path, { force: true });
    }
  }
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
