import { execFile, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { cleanEnvironment } from "./clients.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const PROGRAM = resolve(ROOT, "bin/ebb.mjs");
const BUILD_TIMEOUT_MS = 300_000;

/** Builds the program that `bin/ebb.mjs` runs. */
export async function buildEbb(): Promise<void> {
  await promisify(execFile)("npm", ["run", "--silent", "build"], { cwd: ROOT, timeout: BUILD_TIMEOUT_MS });
}

/** Runs one `ebb` command as a user would; rejects when it does not exit with 0. */
export async function ebb(home: string, args: readonly string[]): Promise<Buffer> {
  const options = { env: cleanEnvironment(home), encoding: "buffer" as const, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...args], options);
  return stdout;
}

/** Writes a client configuration with `ebb mcp` as the tool server `ebb`; returns its path. */
export function ebbToolServer(folder: string, dataFolder: string): string {
  const path = join(folder, "ebb-tools.json");
  const server = { command: process.execPath, args: [PROGRAM, "mcp", "--data-folder", dataFolder] };
  writeFileSync(path, JSON.stringify({ mcpServers: { ebb: server } }));
  return path;
}

export interface EbbProcess {
  readonly url: string;
  /** Asks it to stop and waits; answers its exit code. */
  stop(): Promise<number | null>;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
}

/** Starts `ebb proxy` in a process of its own and waits until it says where it listens. */
export async function startEbbProcess(home: string, args: readonly string[]): Promise<EbbProcess> {
  const child = spawn(process.execPath, [PROGRAM, "proxy", ...args], {
    env: cleanEnvironment(home),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<number | null>((done) => child.once("exit", done));
  const greeting = new Promise<string>((found) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
      if (url !== undefined) found(url);
    });
  });
  const url = await Promise.race([greeting, exited.then((code) => Promise.reject(new Error(`ebb ended: ${code}`)))]);
  return {
    url,
    async stop() {
      child.kill("SIGTERM");
      return exited;
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
