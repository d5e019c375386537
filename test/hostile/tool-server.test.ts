import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import SqliteDatabase from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { STORE_FILE_NAME } from "../../src/cli/data-folder.ts";
import { LOCAL_TENANT } from "../../src/cli/open-keeper.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import { acquired, itemOf, opened, originalOf } from "../../src/testing/test-store-samples.ts";
import { cleanEnvironment } from "../support/clients.ts";

const PROGRAM = resolve(import.meta.dirname, "../../bin/ebb.mjs");
/** Longer than a call looks for its conversation, shorter than a call waits for a lock. */
const LOCK_MS = 2_000;

interface Message {
  readonly id?: number;
  readonly result?: { readonly content?: readonly { readonly text: string }[]; readonly isError?: boolean };
  readonly error?: { readonly code: number };
}

/** `ebb mcp` in a process of its own. Whatever it writes to its output must be a message. */
interface Running {
  readonly process: ChildProcessWithoutNullStreams;
  write(bytes: string): void;
  /** Calls a tool; the text of the answer. */
  call(name: string, args: object): Promise<string>;
  next(): Promise<Message>;
  readonly ended: Promise<{ readonly code: number | null; readonly rest: readonly Message[]; readonly log: string }>;
}

let folder: string;
let running: Running | null = null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-tools-"));
});

afterEach(async () => {
  running?.process.kill("SIGKILL");
  await running?.ended;
  running = null;
  rmSync(folder, { recursive: true, force: true });
});

function storeFile(): string {
  return join(folder, "data", STORE_FILE_NAME);
}

function start(more: readonly string[] = []): Running {
  const args = [PROGRAM, "mcp", "--data-folder", join(folder, "data"), ...more];
  const child = spawn(process.execPath, args, { cwd: folder, env: cleanEnvironment(folder) });
  const messages = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const closed = new Promise<number | null>((done) => child.once("close", (code) => done(code)));
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  child.stdin.on("error", () => undefined);
  const next = async (): Promise<Message> => JSON.parse((await messages.next()).value ?? "null");
  let calls = 0;
  running = {
    process: child,
    write: (bytes) => void child.stdin.write(bytes),
    async call(name, args) {
      calls += 1;
      const request = { jsonrpc: "2.0", id: calls, method: "tools/call", params: { name, arguments: args } };
      child.stdin.write(`${JSON.stringify(request)}\n`);
      return (await next()).result?.content?.map(({ text }) => text).join("") ?? "";
    },
    next,
    ended: closed.then(async (code) => {
      const rest: Message[] = [];
      for (let line = await messages.next(); line.done !== true; line = await messages.next()) {
        rest.push(JSON.parse(line.value));
      }
      return { code, rest, log };
    }),
  };
  return running;
}

/** A store with one item, as a proxy left it; the item's address. */
async function fill(): Promise<string> {
  const store = openSqliteStore({ file: storeFile() });
  const original = originalOf("one\ntwo\n");
  const item = itemOf("call_1", original);
  const entries = [opened("s1"), acquired(item)];
  const place = { tenant: LOCAL_TENANT, lineage: "l1", expectedSeq: 0, atMs: 1, chain: [] };
  await store.commit({ ...place, entries, originals: [original] });
  await store.close();
  return item.address;
}

describe("the process of `ebb mcp`", () => {
  test("ends with 0, without a word, when its input is closed at once", async () => {
    const { process: child, ended } = start();
    child.stdin.end();
    expect(await ended).toEqual({ code: 0, rest: [], log: "" });
  });

  test("ends with 0 when it is asked to stop", async () => {
    const tools = start();
    await tools.call("window", {});
    tools.process.kill("SIGTERM");
    expect(await tools.ended).toMatchObject({ code: 0, rest: [] });
  });

  test("answers each of garbage, halves, unknown tools and large arguments, and goes on", async () => {
    const tools = start();
    tools.write("garbage\n\u0000\u0001\n");
    expect([(await tools.next()).error?.code, (await tools.next()).error?.code]).toEqual([-32_700, -32_700]);
    expect(await tools.call("forget", {})).toMatch(/^bad order: expected one of the tools /);
    expect(await tools.call("recall", { id: "x".repeat(2_000_000) })).toMatch(/^bad order: id: /);
    expect(await tools.call("recall", { id: "0123456789ab" })).toMatch(/^unknown id: /);
    tools.write('{"jsonrpc":"2.0","id":9');
    tools.process.stdin.end();
    expect(await tools.ended).toMatchObject({ code: 0, rest: [], log: "" });
  });

  test("makes a store where there is none, for its user alone", async () => {
    const tools = start();
    expect(existsSync(storeFile())).toBe(false);
    expect(await tools.call("recall", { id: "0123456789ab" })).toMatch(/^unknown id: /);
    expect(statSync(storeFile()).mode & 0o777).toBe(0o600);
  });

  test("answers from a store that was put in the place of one that is no database", async () => {
    mkdirSync(join(folder, "data"), { mode: 0o700 });
    writeFileSync(storeFile(), "this is no database, and longer than a header of one");
    const tools = start();
    expect(await tools.call("recall", { id: "call_1" })).toBe("store unavailable: the store's file is not a database");
    rmSync(storeFile());
    const address = await fill();
    expect(await tools.call("recall", { id: address })).toContain("one\ntwo");
  });

  test("waits for another process that writes, and says so when it takes too long", async () => {
    const address = await fill();
    const tools = start();
    const order = { ids: [address], reason: "done with it" };
    expect(await tools.call("recall", { id: address })).toContain("one\ntwo");
    const other = new SqliteDatabase(storeFile());
    other.exec("BEGIN IMMEDIATE");
    setTimeout(() => other.exec("COMMIT"), LOCK_MS);
    expect(await tools.call("release", order)).toContain(`${address} let go`);
    other.exec("BEGIN IMMEDIATE");
    expect(await tools.call("release", order)).toBe("store unavailable: the store is locked by another process");
    other.exec("COMMIT");
    other.close();
    expect(await tools.call("release", order)).toContain(`${address} let go`);
  });

  test("ends with 2 and says why on its error stream when its configuration is refused", async () => {
    const { ended } = start(["--bound", "many"]);
    expect(await ended).toMatchObject({ code: 2, rest: [], log: expect.stringContaining("bound") });
  });
});
