import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { watchNpmShell } from "../npm-shell.ts";

/** A program in the terminal of this process. */
export interface ChildCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** How it ended: its exit code, 128 and more where a signal ended it; or why it could not be started. */
export type ChildEnd =
  | { readonly kind: "ended"; readonly code: number }
  | { readonly kind: "not started"; readonly code: 126; readonly words: string };

/**
 * Runs a program in the same terminal and the same process group, and waits for its end. What a terminal sends goes to both,
 * and only the program acts on it; what this process alone is sent is passed on.
 */
export function runChild(command: ChildCommand): Promise<ChildEnd> {
  const { program, args, env, cwd } = command;
  const child = spawn(program, args, { env, cwd, stdio: "inherit" });
  const stopListening = listenFor(child);
  return new Promise<ChildEnd>((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) => resolve(notStarted(error)));
    child.once("exit", (code, signal) => resolve({ kind: "ended", code: exitCodeOf(code, signal) }));
  }).finally(stopListening);
}

/** 128 and the signal's number, as shells have it. */
export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

/** The terminal's own signals: they reach the program anyway, and must not end this process before it. */
const TERMINALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGQUIT"];
const PASSED_ON: readonly NodeJS.Signals[] = ["SIGTERM", "SIGHUP", "SIGCONT"];

function listenFor(child: ChildProcess): () => void {
  const ignore = (): void => undefined;
  const passOn = (signal: NodeJS.Signals): void => void child.kill(signal);
  const isStopped = createStopLook();
  const followStop = (): void => {
    if (child.pid !== undefined && isStopped(child.pid)) process.kill(0, "SIGTSTP");
  };
  const canStop = process.platform !== "win32";
  for (const signal of TERMINALS) process.on(signal, ignore);
  for (const signal of PASSED_ON) process.on(signal, passOn);
  if (canStop) process.on("SIGCHLD", followStop);
  watchNpmShell(() => passOn("SIGTERM"));
  return () => {
    for (const signal of TERMINALS) process.off(signal, ignore);
    for (const signal of PASSED_ON) process.off(signal, passOn);
    if (canStop) process.off("SIGCHLD", followStop);
  };
}

/** Asking the system for a state ends a process of its own, which is told like a stop: those that follow at once are not looked at. */
const ASK_EVERY_MS = 300;

/** Whether a program stands still. One that handles Ctrl-Z itself stops itself alone, and the shell waits for its whole job. */
function createStopLook(): (pid: number) => boolean {
  let askedMs = 0;
  return (pid) => {
    if (process.platform === "linux") return stateInProc(pid).startsWith("T");
    if (Date.now() - askedMs < ASK_EVERY_MS) return false;
    const asked = spawnSync("ps", ["-o", "state=", "-p", String(pid)], { encoding: "utf8" });
    askedMs = Date.now();
    return asked.stdout?.startsWith("T") ?? false;
  };
}

/** The state stands behind the program's name, which may hold anything. */
function stateInProc(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2);
  } catch {
    return "";
  }
}

function notStarted(error: NodeJS.ErrnoException): ChildEnd {
  return { kind: "not started", code: 126, words: `it cannot be started (${error.code ?? "unknown reason"})` };
}
