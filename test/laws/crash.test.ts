import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import { faultsBehind, formsOf, newKeeper, recalled, requests } from "./aftermath.ts";
import { type BuiltSource, buildSource } from "./child/built-source.ts";
import type { DyingTask, ToldBody } from "./child/dying-keeper.ts";
import { outputOfKilled } from "./child/killed-child.ts";
import { toWtf8 } from "./judges/recall-judge.ts";

const TIMEOUT_MS = 300_000;
const CHILDREN = 2;
const TORN_TAILS = 20;
const NEVER = 0;

let source: BuiltSource;
let folder = "";

beforeAll(() => {
  source = buildSource();
  folder = mkdtempSync(join(tmpdir(), "ebb-laws-"));
});

afterAll(() => {
  source.remove();
  rmSync(folder, { recursive: true });
});

describe("a keeper killed", () => {
  test("at any step between store, ledger and send leaves markers that come back and forms that repeat", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const whole = await runUntil("whole", NEVER);
    const steps = Number(whole.output);
    expect(steps).toBeGreaterThan(40);
    expect(markersIn(whole.told)).toBeGreaterThanOrEqual(3);
    const points = Array.from({ length: steps }, (_, index) => index + 1);
    const counts: number[] = [];
    const worker = async (): Promise<void> => {
      for (let at = points.shift(); at !== undefined; at = points.shift()) {
        const { told, database } = await runUntil(`step-${at}`, at);
        expect(await faultsOf(database, told), `killed at step ${at} of ${steps}`).toEqual([]);
        counts.push(markersIn(told));
      }
    };
    await Promise.all(Array.from({ length: CHILDREN }, worker));
    expect(counts).toHaveLength(steps);
    expect(counts.filter((count) => count > 0).length).toBeGreaterThan(steps / 4);
  });

  test("is seen where it sends before it stores", { timeout: TIMEOUT_MS }, async () => {
    const mutant = "sends before it stores";
    const { output } = await runUntil("mutant-whole", NEVER, mutant);
    const { told, database } = await runUntil("mutant", Number(output) - 1, mutant);
    expect(await faultsOf(database, told)).toContainEqual(expect.stringMatching(/does not come back$/));
  });

  test("while it wrote its log, keeps all that left", { timeout: TIMEOUT_MS }, async () => {
    const { told, database } = await runUntil("half-written", await lastStep());
    expect(markersIn(told)).toBeGreaterThanOrEqual(3);
    const log = readFileSync(`${database}-wal`);
    for (const [name, tail] of [
      ["frame", log.subarray(32, 32 + 3_000)],
      ["zeros", Buffer.alloc(9_000)],
      ["noise", Buffer.alloc(5_000, "noise")],
    ] as const) {
      const copy = copyOf(database, `half-written-${name}`, log);
      appendFileSync(`${copy}-wal`, tail);
      expect(await faultsOf(copy, told), name).toEqual([]);
    }
  });

  test("and whose log is torn or damaged further in never brings back anything but the original", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { told, database } = await runUntil("torn", await lastStep());
    const log = readFileSync(`${database}-wal`);
    const survivors = new Set<number>();
    for (let tail = 0; tail < TORN_TAILS; tail++) {
      const at = Math.floor((log.length * (tail + 0.37)) / TORN_TAILS);
      for (const [name, torn] of [
        ["cut", log.subarray(0, at)],
        ["flipped", flipped(log, at)],
      ] as const) {
        const copy = copyOf(database, `${name}-${tail}`, torn);
        expect(await faultsOf(copy, []), `${name} at ${at}`).toEqual([]);
        survivors.add(await exactlyRecalled(copyOf(database, `${name}-${tail}-again`, torn), told));
      }
    }
    expect(Math.min(...survivors)).toBe(0);
    expect(Math.max(...survivors)).toBeGreaterThanOrEqual(2);
  });
});

/** The last step of a whole run, at which nothing has closed the database yet. */
async function lastStep(): Promise<number> {
  return Number((await runUntil(`count-${Math.random()}`, NEVER)).output);
}

async function faultsOf(database: string, told: readonly ToldBody[]): Promise<readonly string[]> {
  const store = openSqliteStore({ file: database });
  try {
    return await faultsBehind(store, told);
  } finally {
    await store.close();
  }
}

/** How many of the markers that left come back; fails on one that comes back as something else. */
async function exactlyRecalled(database: string, told: readonly ToldBody[]): Promise<number> {
  const store = openSqliteStore({ file: database });
  const keeper = newKeeper(store);
  let count = 0;
  for (const { request, body } of told.slice(-1)) {
    for (const one of formsOf(requests[request]?.body, Buffer.from(body, "base64"))) {
      if (one.form === one.original) continue;
      const raw = await recalled(one, keeper);
      if (raw === null) continue;
      expect(raw.equals(toWtf8(one.original))).toBe(true);
      count++;
    }
  }
  await keeper.close();
  await store.close();
  return count;
}

interface Run {
  readonly database: string;
  readonly told: readonly ToldBody[];
  readonly output: string;
}

/** Plays the session in a process of its own that is killed at a step. */
async function runUntil(name: string, killAt: number, mutant: string | null = null): Promise<Run> {
  const place = join(folder, name);
  mkdirSync(place);
  const task: DyingTask = { database: join(place, "ebb.sqlite"), told: join(place, "told"), killAt, mutant };
  const output = await outputOfKilled(source.fileOf("test/laws/child/dying-keeper"), task, killAt !== NEVER);
  return { database: task.database, told: toldIn(task.told), output };
}

function toldIn(file: string): readonly ToldBody[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): ToldBody => JSON.parse(line));
}

function markersIn(told: readonly ToldBody[]): number {
  return told
    .slice(-1)
    .flatMap(({ request, body }) => formsOf(requests[request]?.body, Buffer.from(body, "base64")))
    .filter((one) => one.form !== one.original).length;
}

function copyOf(database: string, name: string, log: Uint8Array): string {
  const copy = join(folder, `${name}.sqlite`);
  copyFileSync(database, copy);
  writeFileSync(`${copy}-wal`, log);
  return copy;
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  for (let index = at; index < Math.min(at + 16, copy.length); index++) copy[index] = (copy[index] ?? 0) ^ 0xff;
  return copy;
}
