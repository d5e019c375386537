import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Io } from "../../../src/cli/io.ts";
import { main } from "../../../src/cli/main.ts";

/** What one command ended with. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** How a command is started: without a terminal unless a person answers. */
export interface Started {
  readonly env?: Readonly<Record<string, string>>;
  /** What a person says; runs at the moment of the question. */
  readonly answer?: () => string | Promise<string>;
}

/** A private home folder, with a project in it. */
export interface InitHome {
  readonly folder: string;
  readonly project: string;
  readonly dataFolder: string;
  path(name: string): string;
  /** Writes a file of the home folder, folders included; answers its path. */
  write(name: string, content: string | Uint8Array): string;
  /** The text of a file; null where there is none. */
  read(name: string): string | null;
  run(argv: readonly string[], started?: Started): Promise<Ran>;
  close(): void;
}

/** Makes the folders. */
export function openInitHome(): InitHome {
  const folder = mkdtempSync(join(tmpdir(), "ebb-init-"));
  const project = join(folder, "project");
  mkdirSync(project);
  const path = (name: string): string => join(folder, name);
  return {
    folder,
    project,
    dataFolder: path(".local/share/ebb"),
    path,
    write(name, content) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content);
      return path(name);
    },
    read: (name) => (existsSync(path(name)) ? readFileSync(path(name), "utf8") : null),
    run: (argv, started = {}) => run(argv, { folder, project }, started),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function run(
  argv: readonly string[],
  place: { folder: string; project: string },
  started: Started,
): Promise<Ran> {
  let out = "";
  let err = "";
  const io: Io = {
    out: (chunk) => {
      out += Buffer.from(chunk).toString();
    },
    err: (text) => {
      err += text;
    },
    place: { env: started.env ?? {}, cwd: place.project, home: place.folder, platform: "linux" },
    isInteractive: started.answer !== undefined,
    progress: process.stderr,
    ask: async () => started.answer?.() ?? "",
    untilStopped: () => Promise.resolve(),
  };
  const code = await main(argv, io);
  return { code, out, err };
}
