import { expect, test } from "vitest";
import packageFile from "../../../package.json" with { type: "json" };
import type { Check, Premises } from "./check.ts";
import { judgeClock } from "./checks/clock.ts";
import { judgeFolder } from "./checks/data-folder.ts";
import { judgeDisk } from "./checks/disk.ts";
import { driverCheck, judgeDriver } from "./checks/driver.ts";
import { judgeNode, NODE_OLDEST } from "./checks/node-version.ts";
import { judgeReach } from "./checks/proxy.ts";
import { judgeStats } from "./checks/requests.ts";
import { judgeStore } from "./checks/store.ts";
import { judgeToken } from "./checks/token.ts";
import { examine } from "./examine.ts";
import { exitCodeOf, fail, ok, warn } from "./finding.ts";
import type { SeenStats } from "./proxy-look.ts";

const TOLD = { words: "it is so", fix: "do this" };

test("the exit code tells what cannot work from what needs attention", () => {
  expect(exitCodeOf([ok("store", "a", "b")])).toBe(0);
  expect(exitCodeOf([warn("store", "a", TOLD), ok("proxy", "a", "b")])).toBe(1);
  expect(exitCodeOf([fail("proxy", "a", TOLD)])).toBe(1);
  for (const area of ["installation", "configuration", "data folder", "store", "self-test"] as const) {
    expect(exitCodeOf([warn("clock", "a", TOLD), fail(area, "a", TOLD)])).toBe(2);
  }
});

test("a version of Node is judged by what the package states", () => {
  const judged = (nodeVersion: string) => judgeNode({ nodeVersion, architecture: "x64" }, "linux").state;
  expect(["18.20.8", "20.18.9", "20.19.0", "21.0.0", "22.1.0", "24.21.0"].map(judged)).toEqual([
    "fail",
    "fail",
    "ok",
    "ok",
    "ok",
    "ok",
  ]);
  expect(packageFile.engines.node).toBe(`>=${NODE_OLDEST.join(".")}.0`);
});

test("a driver that was built for another Node is told from one that was never built", () => {
  const abi =
    "The module '/x/better_sqlite3.node'\nwas compiled against a different Node.js version using\nNODE_MODULE_VERSION 115. This version of Node.js requires\nNODE_MODULE_VERSION 137. Please try re-compiling or re-installing\nthe module (for instance, using `npm rebuild` or `npm install`).";
  const fix = "(cd /ebb && npm rebuild better-sqlite3)";
  expect(judgeDriver({ ok: false, words: abi }, "/ebb")).toMatchObject({
    state: "fail",
    words: "was built for another Node (its module version is 115, this Node wants 137)",
    fix,
  });
  const missing = "Could not locate the bindings file. Tried:\n → /x";
  expect(judgeDriver({ ok: false, words: missing }, "/ebb")).toMatchObject({ words: "was never built here", fix });
  const broken = "/x/better_sqlite3.node: invalid ELF header";
  expect(judgeDriver({ ok: false, words: broken }, "/ebb")).toMatchObject({ state: "fail", fix });
});

test("a driver that really does not load is a finding", async () => {
  const machine = { addon: import.meta.filename };
  const [finding] = await driverCheck.run({ machine, packageFolder: "/ebb" } as unknown as Premises);
  expect(finding).toMatchObject({ state: "fail", fix: "(cd /ebb && npm rebuild better-sqlite3)" });
});

test("a folder of another user is refused, and root may use any", () => {
  const seen = { folder: "/d", kind: "folder", under: "/d", unwritable: null, mode: 0o700, isOurs: true } as const;
  expect(judgeFolder({ ...seen, ownerId: 7, userId: 8 })).toMatchObject({
    state: "fail",
    fix: expect.stringContaining("chown -R 8 /d"),
  });
  expect(judgeFolder({ ...seen, ownerId: 7, userId: 7 }).state).toBe("ok");
  expect(judgeFolder({ ...seen, ownerId: 7, userId: 0 }).state).toBe("ok");
  expect(judgeFolder({ ...seen, ownerId: 7, userId: null, mode: 0o777 }).state).toBe("ok");
});

test("a disk needs room, and must be one of this machine", () => {
  const disk = { folder: "/d", freeBytes: 10e9, network: null };
  expect(judgeDisk(disk).state).toBe("ok");
  expect(judgeDisk({ ...disk, freeBytes: 1e6 }).state).toBe("warn");
  expect(judgeDisk({ ...disk, network: "NFS" })).toMatchObject({
    state: "warn",
    words: expect.stringContaining("NFS"),
  });
});

test("a clock must not lie behind the store, jump, or stand before Ebb's time", () => {
  const now = { wallMs: Date.UTC(2026, 5, 1), steadyMs: 1_000 };
  const seen = { started: now, now, newestAtMs: null };
  expect(judgeClock(seen).state).toBe("ok");
  expect(judgeClock({ ...seen, newestAtMs: now.wallMs + 60_000 }).state).toBe("ok");
  expect(judgeClock({ ...seen, newestAtMs: now.wallMs + 3_600_000 }).state).toBe("warn");
  const back = { wallMs: now.wallMs - 3_000, steadyMs: now.steadyMs };
  expect(judgeClock({ ...seen, now: back }).words).toContain("jumped by 3 s");
  const early = { wallMs: 0, steadyMs: 0 };
  expect(judgeClock({ started: early, now: early, newestAtMs: null }).state).toBe("warn");
});

test("who reaches a proxy is judged by its host and by what was tried", () => {
  expect(judgeReach({ host: "127.0.0.1" }, [])).toEqual([]);
  expect(judgeReach({ host: "0.0.0.0" }, [])).toMatchObject([{ state: "warn" }]);
  expect(judgeReach({ host: "127.0.0.1" }, ["192.0.2.7"])).toMatchObject([
    { words: expect.stringContaining("192.0.2.7") },
  ]);
});

test("a store's log that is not emptied, a cap that is near and a full disk need attention", () => {
  const look = {
    kind: "opened",
    schema: 1,
    fileBytes: 1e6,
    logBytes: 0,
    originals: 3,
    storedBytes: 10,
    newestAtMs: null,
    problems: [],
    sampled: null,
    unwritable: null,
  } as const;
  const judged = (changes: object) =>
    judgeStore({ ...look, ...changes }, { dataFolder: "/d", diskBytesMax: 100 }).flatMap(({ name, state }) =>
      state === "ok" ? [] : [`${name}: ${state}`],
    );
  expect(judged({})).toEqual([]);
  expect(judged({ logBytes: 100e6 })).toEqual(["log: warn"]);
  expect(judged({ storedBytes: 95 })).toEqual(["size: warn"]);
  expect(judged({ unwritable: { code: "store_full", words: "full" } })).toEqual(["database: fail"]);
});

test("a token is never shown", () => {
  const token = "s".repeat(43);
  for (const mode of [0o600, 0o644]) {
    expect(JSON.stringify(judgeToken({ kind: "token", token, mode }, "/d/token", true))).not.toContain(token);
  }
  expect(judgeToken({ kind: "token", token, mode: 0o644 }, "/d/token", false).state).toBe("ok");
  expect(judgeToken({ kind: "unreadable", code: "EACCES" }, "/d/token", true).state).toBe("fail");
});

test("each count of a proxy that needs attention is a finding of its own", () => {
  const nothing: SeenStats = {
    requests: 0,
    counted: 0,
    unread: {},
    unknown_models: {},
    net_guard: { engaged: 0, requests: 0 },
    errors: [],
    fallbacks: { script_only: 0 },
    signature_refusals: 0,
    law_violations: 0,
    proxy: { unedited: {}, refused: {}, upstream_errors: {} },
  };
  const named = (changes: Partial<SeenStats>) =>
    judgeStats({ ...nothing, ...changes }).flatMap(({ name, state }) => (state === "ok" ? [] : [`${name}: ${state}`]));
  expect(judgeStats(nothing)).toEqual([ok("requests", "counted", "none yet since the proxy started")]);
  expect(named({ requests: 3 })).toEqual([]);
  expect(named({ law_violations: 1 })).toEqual(["laws: fail"]);
  expect(named({ errors: [{ at_ms: 0, code: "store_full", words: "full" }] })).toEqual(["errors: warn"]);
  expect(named({ fallbacks: { original: 1 } })).toEqual(["fallbacks: warn"]);
  expect(named({ unread: { "no JSON": 1 } })).toEqual(["unread: warn"]);
  const quoting = { unread: { 'unexpected "secret"': 1 }, errors: [{ at_ms: 0, code: "store_full", words: "secret" }] };
  expect(JSON.stringify(judgeStats({ ...nothing, ...quoting }))).not.toContain("secret");
  expect(named({ proxy: { ...nothing.proxy, unedited: { "body over the limit": 1 } } })).toEqual(["unread: warn"]);
  expect(named({ proxy: { ...nothing.proxy, upstream_errors: { ENOTFOUND: 1 } } })).toEqual(["refused: warn"]);
  expect(named({ proxy: { ...nothing.proxy, refused: { busy: 1 } } })).toEqual(["refused: warn"]);
  expect(named({ proxy: { ...nothing.proxy, refused: { upgrade: 1 } } })).toEqual([]);
  expect(named({ signature_refusals: 1 })).toEqual(["thinking: warn"]);
  expect(named({ net_guard: { engaged: 1, requests: 2 } })).toEqual(["net guard: warn"]);
  expect(named({ unknown_models: { new: 1 } })).toEqual(["models: warn"]);
});

test("a check that breaks off or never answers is a finding, and the others go on", async () => {
  const steps = [0, 0, 0, 0, 100_000];
  const machine = { steadyMs: () => steps.shift() ?? 100_000 };
  const check = (name: string, run: Check["run"]): Check => ({ area: "clock", name, deadlineMs: 1, run });
  const checks = [
    check("broken", async () => {
      throw new TypeError("with a secret in its words");
    }),
    check("silent", () => new Promise(() => {})),
    check("fine", async () => [ok("clock", "fine", "yes")]),
    check("late", async () => [ok("clock", "late", "never run")]),
  ];
  const findings = await examine(checks, { machine } as unknown as Premises);
  expect(findings.map(({ name, state }) => `${name}: ${state}`)).toEqual([
    "broken: fail",
    "silent: warn",
    "fine: ok",
    "late: warn",
  ]);
  expect(JSON.stringify(findings)).not.toContain("secret");
});
