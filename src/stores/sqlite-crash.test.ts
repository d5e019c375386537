import { type ChildProcess, spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openSqliteStore } from "./sqlite.ts";

const KILLS = 8;
const TORN_TAILS = 24;

/**
 * A writer that appends to one lineage for ever. Commit n (from 1) holds two entries, one original and one chain
 * position, all named after n; n is printed once its commit has resolved.
 */
const WRITER = `
import { writeSync } from "node:fs";
import { sha256Hex } from "./lib/hash.js";
import { openSqliteStore } from "./stores/sqlite.js";
const store = openSqliteStore({ file: process.argv[2], busyTimeoutMs: 5_000 });
let seq = (await store.loadLineage("t", "main")).length;
for (let number = seq / 2 + 1; ; number++) {
  const bytes = Buffer.from(("original " + number + "\\n").repeat(1 + (number % 7) * 300));
  const digest = sha256Hex(bytes);
  const label = { tool: "Read", path: "/p", lineStart: null, lineEnd: null, command: null };
  const item = { key: "k" + number, address: "a" + number, kind: "result", callId: "c" + number, digest,
    bytes: bytes.length, lines: 1, mediaType: null, label, isError: false, absolutePath: null, isStored: true, step: number, turn: 1 };
  const outcome = await store.commit({ tenant: "t", lineage: "main", expectedSeq: seq, atMs: number,
    entries: [{ type: "item-acquired", item }, { type: "client-folded", fromLineage: "f" + number }],
    chain: [{ position: number, hash: sha256Hex("position " + number) }], originals: [{ digest, bytes }] });
  if (!outcome.ok) throw new Error(outcome.kind);
  seq = outcome.seq;
  writeSync(1, number + "\\n");
}
`;

/** The store as JavaScript, in a folder from which its driver is found. */
let built = "";
let folder = "";
let file = "";

beforeAll(() => {
  const cache = join(import.meta.dirname, "../../node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  built = mkdtempSync(join(cache, "ebb-crash-"));
  for (const name of ["lib", "model", "stores", "stores/migrations"]) transpile(join(import.meta.dirname, "..", name));
  writeFileSync(join(built, "writer.mjs"), WRITER);
  writeFileSync(join(built, "package.json"), '{ "type": "module" }');
});

afterAll(() => rmSync(built, { recursive: true }));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-crash-"));
  file = join(folder, "ebb.sqlite");
});

afterEach(() => rmSync(folder, { recursive: true }));

describe("a writer killed while it writes", () => {
  test("loses no commit that it was told of, and leaves none half done", async () => {
    let acknowledged = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const { last, problems } = await writeAndKill(file, acknowledged + 3 + kill * 5);
      expect(problems).toBe("");
      expect(last).toBeGreaterThan(acknowledged);
      const copy = join(folder, `after-${kill}.sqlite`);
      for (const suffix of ["", "-wal"]) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
      expect(await soundCommits(copy)).toBeGreaterThanOrEqual(last);
      acknowledged = last;
    }
    expect(await soundCommits(file)).toBeGreaterThanOrEqual(acknowledged);
  });

  test("with its log torn or damaged at any place, leaves a whole prefix of its commits", async () => {
    const { last } = await writeAndKill(file, 40);
    const log = readFileSync(`${file}-wal`);
    const survivors = new Set<number>();
    for (let tail = 0; tail < TORN_TAILS; tail++) {
      const at = Math.floor((log.length * (tail + 0.37)) / TORN_TAILS);
      for (const [name, torn] of [
        ["cut", log.subarray(0, at)],
        ["flipped", flipped(log, at)],
      ] as const) {
        const copy = join(folder, `${name}-${tail}.sqlite`);
        copyFileSync(file, copy);
        writeFileSync(`${copy}-wal`, torn);
        survivors.add(await soundCommits(copy));
      }
    }
    expect(survivors.size).toBeGreaterThan(TORN_TAILS / 2);
    expect(Math.max(...survivors)).toBeGreaterThan(last / 2);
  });
});

/** How many commits the store holds, after proof that each is whole, in order, and nothing else is there. */
async function soundCommits(path: string): Promise<number> {
  const store = openSqliteStore({ file: path });
  try {
    const records = await store.loadLineage("t", "main");
    const count = records.length / 2;
    for (let number = 1; number <= count; number++) {
      const [acquired, folded] = records.slice(number * 2 - 2, number * 2);
      expect(acquired).toMatchObject({ seq: number * 2 - 1, atMs: number, entry: { item: { key: `k${number}` } } });
      expect(folded).toMatchObject({ seq: number * 2, entry: { fromLineage: `f${number}` } });
      const digest = acquired?.entry.type === "item-acquired" ? acquired.entry.item.digest : "";
      expect(await store.getOriginal("t", digest)).toMatchObject({ state: "present" });
      expect(await store.findItems("t", `a${number}`)).toHaveLength(1);
    }
    expect(Number.isInteger(count)).toBe(true);
    expect((await store.size()).originals).toBe(count);
    expect(await store.check()).toEqual([]);
    return count;
  } finally {
    await store.close();
  }
}

/** Runs the writer until it acknowledged `enough`, kills it there, and says the last number it got to tell. */
async function writeAndKill(path: string, enough: number): Promise<{ last: number; problems: string }> {
  const child: ChildProcess = spawn(process.execPath, [join(built, "writer.mjs"), path], { stdio: "pipe" });
  let told = "";
  let problems = "";
  child.stderr?.on("data", (chunk) => {
    problems += chunk;
  });
  child.stdout?.on("data", (chunk) => {
    told += chunk;
    if (lastNumberIn(told) >= enough) child.kill("SIGKILL");
  });
  await new Promise((resolve) => child.on("close", resolve));
  return { last: lastNumberIn(told), problems };
}

function lastNumberIn(told: string): number {
  return Number(
    told
      .slice(0, told.lastIndexOf("\n") + 1)
      .trimEnd()
      .split("\n")
      .at(-1) ?? 0,
  );
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  for (let index = at; index < Math.min(at + 16, copy.length); index++) copy[index] = (copy[index] ?? 0) ^ 0xff;
  return copy;
}

function transpile(source: string): void {
  const target = join(built, relative(dirname(import.meta.dirname), source));
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(source)) {
    if (!name.endsWith(".ts") || name.endsWith(".test.ts")) continue;
    const { outputText } = ts.transpileModule(readFileSync(join(source, name), "utf8"), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
      },
    });
    writeFileSync(join(target, name.replace(/\.ts$/, ".js")), outputText);
  }
}
