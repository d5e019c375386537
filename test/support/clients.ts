import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

const OUTPUT_BYTES_MAX = 8 * 1024 * 1024;
const INSTALL_TIMEOUT_MS = 600_000;
const KILL_GRACE_MS = 5_000;

export type ClientName = "pi" | "claude-2.0.75" | "claude-2.1.96" | "claude-current";

interface ClientPackage {
  readonly packageName: string;
  readonly version: string;
  /** Program to run, from the install folder. */
  readonly program: string;
  readonly isScript: boolean;
}

const PACKAGES: Readonly<Record<ClientName, ClientPackage>> = {
  pi: {
    packageName: "@mariozechner/pi-coding-agent",
    version: "0.73.1",
    program: "node_modules/@mariozechner/pi-coding-agent/dist/cli.js",
    isScript: true,
  },
  "claude-2.0.75": {
    packageName: "@anthropic-ai/claude-code",
    version: "2.0.75",
    program: "node_modules/@anthropic-ai/claude-code/cli.js",
    isScript: true,
  },
  "claude-2.1.96": {
    packageName: "@anthropic-ai/claude-code",
    version: "2.1.96",
    program: "node_modules/@anthropic-ai/claude-code/cli.js",
    isScript: true,
  },
  "claude-current": {
    packageName: "@anthropic-ai/claude-code",
    version: "2.1.332",
    program: `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
    isScript: false,
  },
};

export interface InstalledClient {
  readonly name: ClientName;
  readonly version: string;
  /** Program and leading arguments that start it. */
  readonly command: readonly [string, ...string[]];
}

/**
 * Installs the exact version of a client from the registry into a folder outside the repository, once; later calls
 * reuse it. `EBB_CLIENTS_FOLDER` names another folder. Rejects when the registry cannot be reached.
 */
export async function ensureClient(name: ClientName): Promise<InstalledClient> {
  const chosen = PACKAGES[name];
  const parent = process.env.EBB_CLIENTS_FOLDER ?? join(tmpdir(), "ebb-clients");
  const folder = join(parent, `${basename(chosen.packageName)}-${chosen.version}`);
  const program = join(folder, chosen.program);
  if (!existsSync(program)) await install(chosen, parent, folder);
  if (!existsSync(program)) throw new Error(`${chosen.packageName}@${chosen.version} has no ${chosen.program}`);
  const command: readonly [string, ...string[]] = chosen.isScript ? [process.execPath, program] : [program];
  return { name, version: chosen.version, command };
}

async function install(chosen: ClientPackage, parent: string, folder: string): Promise<void> {
  const building = join(parent, `installing-${process.pid}-${chosen.version}`);
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { recursive: true });
  writeFileSync(join(building, "package.json"), '{"private":true}\n');
  const wanted = `${chosen.packageName}@${chosen.version}`;
  const args = ["install", "--save-exact", "--ignore-scripts", "--no-audit", "--no-fund", wanted];
  await promisify(execFile)("npm", args, { cwd: building, timeout: INSTALL_TIMEOUT_MS });
  rmSync(folder, { recursive: true, force: true });
  renameSync(building, folder);
}

export interface ClientRun {
  readonly client: InstalledClient;
  readonly args: readonly string[];
  /** A private home folder; created when missing. */
  readonly home: string;
  readonly workingFolder: string;
  /** Added to the clean environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Sends the interrupt a person would send with Ctrl-C after this time. */
  readonly interruptAfterMs?: number;
}

export interface ClientResult {
  /** Null when the time ran out and the process was ended. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a client to its end in a clean environment, without a terminal; ends it, by its id, when the time runs out. */
export async function runClient(run: ClientRun): Promise<ClientResult> {
  mkdirSync(run.home, { recursive: true });
  const [program, ...leading] = run.client.command;
  const child = spawn(program, [...leading, ...run.args], {
    cwd: run.workingFolder,
    env: { ...cleanEnvironment(run.home), ...run.env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  let isOverdue = false;
  const deadline = setTimeout(() => {
    isOverdue = true;
    endGroup(child.pid, "SIGTERM");
    setTimeout(() => endGroup(child.pid, "SIGKILL"), KILL_GRACE_MS).unref();
  }, run.timeoutMs);
  const interrupt = run.interruptAfterMs;
  if (interrupt !== undefined) setTimeout(() => endGroup(child.pid, "SIGINT"), interrupt).unref();
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code));
  }).finally(() => clearTimeout(deadline));
  return { exitCode: isOverdue ? null : exitCode, stdout: stdout(), stderr: stderr() };
}

/** The few variables a client needs, and the switches that keep it from calling anyone but the given provider. */
export function cleanEnvironment(home: string): Record<string, string> {
  return {
    HOME: home,
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    TMPDIR: tmpdir(),
    LANG: "C.UTF-8",
    TERM: "dumb",
    TZ: "UTC",
    IS_SANDBOX: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DO_NOT_TRACK: "1",
    PI_OFFLINE: "1",
  };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const parts: Buffer[] = [];
  let size = 0;
  stream.on("data", (part: Buffer) => {
    size += part.length;
    if (size <= OUTPUT_BYTES_MAX) parts.push(part);
  });
  return () => Buffer.concat(parts).toString("utf8");
}

function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
