import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import type { Finding } from "../../../src/cli/doctor/finding.ts";
import type { Io } from "../../../src/cli/io.ts";
import { main } from "../../../src/cli/main.ts";
import type { Place } from "../../../src/config/folders.ts";
import { openSqliteStore } from "../../../src/stores/sqlite.ts";
import { acquired, itemOf, opened, originalOf } from "../../../src/testing/test-store-samples.ts";

const PROGRAM = resolve(import.meta.dirname, "../../../bin/ebb.mjs");
const NOBODY = 65_534;

/** What a run of `ebb doctor` came to. */
export interface Examined {
  readonly code: number;
  readonly findings: readonly Finding[];
  readonly text: string;
}

/** A place whose path holds `ebb` and the named programs, none of which does anything. */
export function placeIn(home: string, programs: readonly string[] = [], env: Place["env"] = {}): Place {
  const folder = join(home, "programs");
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, "ebb"))) symlinkSync(PROGRAM, join(folder, "ebb"));
  for (const name of programs) writeFileSync(join(folder, name), "#!/bin/sh\n", { mode: 0o755 });
  return { env: { PATH: folder, ...env }, cwd: home, home, platform: "linux" };
}

/** Runs `ebb doctor --json` in this process. */
export async function examineIn(place: Place, ...flags: readonly string[]): Promise<Examined> {
  let text = "";
  const io: Io = {
    out: (chunk) => {
      text += Buffer.from(chunk).toString();
    },
    err: (words) => {
      text += words;
    },
    place,
    isInteractive: false,
    progress: process.stderr,
    ask: async () => "",
    untilStopped: async () => {},
  };
  const code = await main(["doctor", "--json", ...flags], io);
  return { code, findings: JSON.parse(text).findings, text };
}

/** Findings that need attention, as `area/name: state`. */
export function attention({ findings }: Pick<Examined, "findings">): readonly string[] {
  return findings.filter(({ state }) => state !== "ok").map(({ area, name, state }) => `${area}/${name}: ${state}`);
}

/** The finding of this area and name. */
export function findingOf({ findings }: Pick<Examined, "findings">, area: string, name: string): Finding | undefined {
  return findings.find((one) => one.area === area && one.name === name);
}

/** The data folder that a place has by default. */
export function dataFolderIn(home: string): string {
  return join(home, ".local", "share", "ebb");
}

/** A store as an earlier proxy left it, with one original; answers its file. */
export async function storeIn(home: string, atMs = Date.now() - 60_000): Promise<string> {
  const folder = dataFolderIn(home);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "ebb.sqlite");
  const store = openSqliteStore({ file });
  const original = originalOf("a text that was read\n".repeat(2_000));
  const entries = [opened("s"), acquired(itemOf("toolu_1", original))];
  const commit = { tenant: "local", lineage: "l", expectedSeq: 0, atMs, entries, chain: [], originals: [original] };
  await store.commit(commit);
  await store.close();
  return file;
}

/** Runs as a user whom access modes bind: root becomes another one, and `folder` with all in it belongs to them. */
export async function asOrdinaryUser<T>(folder: string, run: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0 || process.seteuid === undefined) return run();
  giveAway(folder);
  process.seteuid(NOBODY);
  try {
    return await run();
  } finally {
    process.seteuid(0);
  }
}

function giveAway(path: string): void {
  chownSync(path, NOBODY, NOBODY);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) {
    if (!lstatSync(join(path, name)).isSymbolicLink()) giveAway(join(path, name));
  }
}

/** Makes a folder that nobody may write in. */
export function closedFolder(path: string): void {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o500);
}
