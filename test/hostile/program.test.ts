import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { resultIn } from "../support/keeper.ts";
import { send } from "../support/proxy/client.ts";
import { type FakeUpstream, startUpstream } from "../support/proxy/fake-upstream.ts";
import { buildProgram, type Program, type Ran, type Running, startProgram } from "./support/program.ts";
import { post, SMALL_BOUND } from "./support/system.ts";
import { pageResult, pagesBody } from "./support/talks.ts";

const NOBODY = 65_534;
/** A folder that others own is unwritable for real only to another user, who must be able to read this repository. */
const canBeNobody =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, ["-e", `require("node:fs").readFileSync(${JSON.stringify(import.meta.filename)})`], {
    uid: NOBODY,
    gid: NOBODY,
  }).status === 0;

let program: Program;
let home = "";
let dataFolder = "";
let upstream: FakeUpstream;
const running: Running[] = [];

beforeAll(() => {
  program = buildProgram();
});

afterAll(() => program.remove());

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "ebb-hostile-home-"));
  dataFolder = join(home, "data");
  writeFileSync(join(home, "ebb.yaml"), `${SMALL_BOUND}log_level: debug\n`);
  upstream = await startUpstream();
});

afterEach(async () => {
  for (const one of running.splice(0)) {
    one.child.kill("SIGKILL");
    await one.ended;
  }
  await upstream.close();
  rmSync(home, { recursive: true, force: true });
});

function start(...more: readonly string[]): Running {
  const args = ["proxy", "--port", "0", "--upstream", upstream.url, "--data-folder", dataFolder, ...more];
  const started = startProgram(program, { args, home });
  running.push(started);
  return started;
}

function sent(id: string): unknown {
  return resultIn(upstream.received.at(-1)?.body.toString() ?? '{"messages":[]}', id);
}

function ask(port: number, path: string) {
  const token = readFileSync(join(dataFolder, "token"), "utf8").trim();
  return send(port, { path, headers: ["Authorization", `Bearer ${token}`] });
}

function expectRefused(ran: Ran, code: number, words: RegExp): void {
  expect([ran.code, ran.stdout]).toEqual([code, ""]);
  expect(ran.stderr).toMatch(words);
  expect(ran.stderr).not.toMatch(/^\s+at |node:internal/m);
  expect(ran.stderr.trim().split("\n").length).toBeLessThan(6);
}

describe("a proxy that is killed", () => {
  test("after each of its steps: what it sent is repeated by the next one, and comes back", async () => {
    const names = ["a", "b", "c", "d"];
    const forms: unknown[] = [];
    for (const [index, name] of names.entries()) {
      const one = start();
      const port = await one.listening();
      expect((await post(port, pagesBody(...names.slice(0, index + 1)))).status).toBe(200);
      forms.push(sent(name));
      expect(names.slice(0, index + 1).map(sent)).toEqual(forms);
      expect(sent(name)).toContain("[ebb ");
      for (const back of names.slice(0, index + 1)) {
        expect((await ask(port, `/recall/${back}?raw`)).body.toString()).toBe(pageResult(back));
      }
      one.child.kill("SIGKILL");
      expect((await one.ended).signal).toBe("SIGKILL");
    }
  });

  test("in the middle of many requests: whatever reached the provider is what the next one repeats", async () => {
    const one = start();
    const port = await one.listening();
    const sessions = Array.from({ length: 8 }, (_, number) => `k${number}`);
    const posts = sessions.flatMap((name) => [
      post(port, pagesBody(name, `${name}x`)).catch(() => null),
      post(port, pagesBody(name)).catch(() => null),
    ]);
    await Promise.race(posts);
    one.child.kill("SIGKILL");
    await Promise.all(posts);
    await one.ended;
    const reached = new Map<string, unknown>();
    for (const { body } of upstream.received) {
      for (const name of sessions) {
        const form = resultIn(body.toString(), name);
        if (form !== undefined) reached.set(name, form);
      }
    }
    expect(reached.size).toBeGreaterThan(0);
    const nextPort = await start().listening();
    for (const [name, form] of reached) {
      expect((await post(nextPort, pagesBody(name, `${name}y`))).status).toBe(200);
      expect(sent(name)).toBe(form);
    }
  });
});

describe("a proxy whose every write fails", () => {
  const limited = spawnSync("prlimit", ["--version"]).status === 0;
  test.skipIf(!limited)("repeats what it sent, says why, and goes on once writes succeed", async () => {
    const one = start();
    const port = await one.listening();
    await post(port, pagesBody("a"));
    const marker = sent("a");
    expect(limitWrites(one, "0")).toBe(true);
    expect((await post(port, pagesBody("a", "b"))).status).toBe(200);
    expect([sent("a"), sent("b")]).toEqual([marker, pageResult("b")]);
    const fresh = pagesBody("x");
    expect((await post(port, fresh)).status).toBe(200);
    expect(upstream.received.at(-1)?.body.equals(fresh)).toBe(true);
    expect((await ask(port, "/recall/a?raw")).body.toString()).toBe(pageResult("a"));
    const stats = JSON.parse((await ask(port, "/stats")).body.toString());
    expect(stats.fallbacks).toEqual({ script_only: 1, original: 1, refused: 0 });
    const codes = stats.errors.map((error: { code: string }) => error.code);
    expect(codes).toContainEqual(expect.stringMatching(/^store_/));
    expect(limitWrites(one, "unlimited")).toBe(true);
    expect((await post(port, pagesBody("a", "b", "c"))).status).toBe(200);
    expect([sent("a"), sent("b"), sent("c")]).toEqual([marker, pageResult("b"), expect.stringContaining("[ebb ")]);
  });

  function limitWrites({ child }: Running, bytes: string): boolean {
    return spawnSync("prlimit", ["--pid", String(child.pid), `--fsize=${bytes}:unlimited`]).status === 0;
  }
});

describe("a start", () => {
  const database = (): string => {
    mkdirSync(dataFolder, { mode: 0o700 });
    return join(dataFolder, "ebb.sqlite");
  };

  test("on a file that is no database is refused", async () => {
    writeFileSync(database(), "not a database, but long enough to have a header of one hundred bytes ".repeat(99));
    expectRefused(await start().ended, 1, /^ebb: .*not a database/);
  });

  test("on a damaged schema is refused", async () => {
    const path = database();
    const first = start();
    await first.listening();
    first.child.kill("SIGTERM");
    expect((await first.ended).code).toBe(0);
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(3_996, 0x5a), bytes.subarray(4_096)]));
    expectRefused(await start().ended, 1, /^ebb: .*(?:damaged|not a database)/);
  });

  test("on another program's database is refused, and leaves it alone", async () => {
    const path = database();
    const other = new SqliteDatabase(path);
    other.exec("CREATE TABLE notes (text TEXT)");
    other.close();
    expectRefused(await start().ended, 1, /^ebb: .*another program/);
    const after = new SqliteDatabase(path);
    expect(after.prepare("SELECT name FROM sqlite_schema").pluck().all()).toEqual(["notes"]);
    after.close();
  });

  test("on a newer schema is refused with both versions", async () => {
    const path = database();
    const newer = new SqliteDatabase(path);
    newer.exec("PRAGMA application_id = 0x45626231; PRAGMA user_version = 99; CREATE TABLE a (b)");
    newer.close();
    expectRefused(await start().ended, 1, /^ebb: .*version 99.*up to 2/);
  });

  test.skipIf(!canBeNobody)("in a folder that cannot be written is refused (run as another user)", async () => {
    chmodSync(home, 0o755);
    mkdirSync(dataFolder, { mode: 0o755 });
    const args = ["proxy", "--port", "0", "--data-folder", join(dataFolder, "inner")];
    expectRefused(await startProgram(program, { args, home, uid: NOBODY }).ended, 1, /^ebb: .*inner.*EACCES/);
  });

  test("with a token file that is no token is refused", async () => {
    mkdirSync(dataFolder, { mode: 0o700 });
    writeFileSync(join(dataFolder, "token"), "short\n");
    expectRefused(await start().ended, 1, /^ebb: .*not a token/);
  });

  test("with a folder where the token should be is refused", async () => {
    mkdirSync(join(dataFolder, "token"), { recursive: true, mode: 0o700 });
    expectRefused(await start().ended, 1, /^ebb: .*token/);
  });

  test("with impossible configuration is refused with exit code 2", async () => {
    writeFileSync(join(home, "ebb.yaml"), "bound: { lines: -1, bytes: nonsense }\nnot_a_key: 1\n");
    expectRefused(await start().ended, 2, /^ebb: the configuration is refused/);
  });

  test("on a port that is taken is refused", async () => {
    const { port } = new URL(upstream.url);
    expectRefused(await start("--port", port).ended, 1, new RegExp(`^ebb: port ${port} .*taken`));
  });
});

describe("what lies on disk", () => {
  test("is for its user alone, while the proxy runs and afterwards, whatever the umask", async () => {
    const before = process.umask(0o000);
    const one = start();
    const port = await one.listening().finally(() => process.umask(before));
    await post(port, pagesBody("a"));
    const names = () => readdirSync(dataFolder, { recursive: true }).map(String).sort();
    const modes = () => ["", ...names()].map((name) => statSync(join(dataFolder, name)).mode & 0o777);
    const own = ["ebb.sqlite", "ebb.sqlite-shm", "ebb.sqlite-wal", "proxies", `proxies/${one.child.pid}.json`, "token"];
    expect(names()).toEqual(own);
    expect(modes()).toEqual([0o700, 0o600, 0o600, 0o600, 0o700, 0o600, 0o600]);
    one.child.kill("SIGTERM");
    expect((await one.ended).code).toBe(0);
    expect(modes().every((mode) => (mode & 0o077) === 0)).toBe(true);
  });
});
