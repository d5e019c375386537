import { createInterface } from "node:readline/promises";
import { currentPlace, type Place } from "../config/folders.ts";
import { visible } from "../lib/visible.ts";
import { watchNpmShell } from "./npm-shell.ts";

/** What a command says and asks: streams, the place it runs in, and the end it waits for. */
export interface Io {
  /** Answers: what a person or a pipe asked for. */
  out(chunk: string | Uint8Array): void;
  /** Problems and progress. */
  err(text: string): void;
  readonly place: Place;
  /** True when a person reads the answer and can be asked. */
  readonly isInteractive: boolean;
  /** The error stream, for progress bars. */
  readonly progress: NodeJS.WriteStream;
  ask(question: string): Promise<string>;
  /** Resolves at the first request to stop (SIGINT, SIGTERM, the end of npm's shell); a second signal ends the process at once. */
  untilStopped(): Promise<void>;
}

/** The streams and signals of this process. A reader that goes away ends the process quietly. */
export function processIo(): Io {
  process.stdout.on("error", leaveQuietly);
  return {
    out: (chunk) => void process.stdout.write(chunk),
    err: (text) => void process.stderr.write(text),
    place: currentPlace(),
    isInteractive: process.stdin.isTTY === true && process.stdout.isTTY === true,
    progress: process.stderr,
    ask: askOnce,
    untilStopped: stopRequested,
  };
}

/** One line, or several, on the answer stream, which steer no terminal. */
export function printLine(io: Io, line: string): void {
  io.out(`${visible(line)}\n`);
}

/** The same streams; what is told of problems steers no terminal. */
export function withPlainErrors(io: Io): Io {
  return { ...io, err: (text) => io.err(visible(text)) };
}

function leaveQuietly(error: NodeJS.ErrnoException): void {
  process.exit(error.code === "EPIPE" ? 0 : 1);
}

async function askOnce(question: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await reader.question(question);
  } finally {
    reader.close();
  }
}

function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = (): void => {
      isStopping = true;
      resolve();
    };
    const stopOrLeave = (): void => (isStopping ? process.exit(130) : stop());
    process.on("SIGINT", stopOrLeave);
    process.on("SIGTERM", stopOrLeave);
    watchNpmShell(stop);
  });
}
