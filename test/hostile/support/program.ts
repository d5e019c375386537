import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { cleanEnvironment } from "../../support/clients.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** The program as JavaScript, made from the sources as they are, in a folder from which its dependencies are found. */
export interface Program {
  readonly folder: string;
  remove(): void;
}

/** Builds the program without checking types; nothing that was built before is used. */
export function buildProgram(): Program {
  const cache = join(ROOT, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "ebb-hostile-"));
  chmodSync(folder, 0o755);
  for (const name of readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".ts") && !name.endsWith(".test.ts")) transpile(join(ROOT, "src", name), folder);
  }
  cpSync(join(ROOT, "bin"), join(folder, "bin"), { recursive: true });
  cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function transpile(source: string, folder: string): void {
  const target = join(folder, "dist", relative(join(ROOT, "src"), source).replace(/\.ts$/, ".js"));
  const { outputText } = ts.transpileModule(readFileSync(source, "utf8"), {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  });
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, outputText);
}

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A started `ebb`, its output kept. */
export interface Running {
  readonly child: ChildProcess;
  /** Resolves when it ended. */
  readonly ended: Promise<Ran>;
  /** Port it says it listens on; rejects with its output when it ends before. */
  listening(): Promise<number>;
}

export interface Start {
  readonly args: readonly string[];
  readonly home: string;
  /** User to run as; this process's own when left out. */
  readonly uid?: number;
}

/** Starts `ebb` with arguments, in a clean environment. */
export function startProgram(program: Program, start: Start): Running {
  const child = spawn(process.execPath, [join(program.folder, "bin/ebb.mjs"), ...start.args], {
    cwd: start.home,
    env: cleanEnvironment(start.home),
    stdio: ["ignore", "pipe", "pipe"],
    ...(start.uid === undefined ? {} : { uid: start.uid, gid: start.uid }),
  });
  const output = { stdout: "", stderr: "" };
  let found: (port: number) => void = () => undefined;
  const told = new Promise<number>((resolve) => {
    found = resolve;
  });
  child.stdout.on("data", (chunk: Buffer) => {
    output.stdout += chunk.toString();
    const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(output.stdout)?.[1];
    if (port !== undefined) found(Number(port));
  });
  child.stderr.on("data", (chunk: Buffer) => {
    output.stderr += chunk.toString();
  });
  const ended = new Promise<Ran>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal, ...output }));
  });
  const failed = () => ended.then((ran) => Promise.reject(new Error(`ebb ended: ${JSON.stringify(ran)}`)));
  return { child, ended, listening: () => Promise.race([told, failed()]) };
}
