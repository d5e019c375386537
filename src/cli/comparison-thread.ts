import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../lib/assert.ts";
import { type ComparisonTask, compareFile, configurationsOf } from "./file-comparison.ts";
import type { Io } from "./io.ts";
import type { ThreadAnswer } from "./thread-pool.ts";

/** Requests between two words of progress. */
const TOLD_EVERY = 10;

const port = parentPort;
assert(port !== null, "a thread has someone to answer");
const task: ComparisonTask = workerData;
const said: string[] = [];
const io: Io = {
  out: () => undefined,
  err: (text) => void said.push(text),
  place: task.place,
  isInteractive: false,
  progress: process.stderr,
  ask: async () => "",
  untilStopped: async () => undefined,
};
const configurations = configurationsOf(task, io);

port.on("message", (file: string) => void answer(file));

async function answer(file: string): Promise<void> {
  said.length = 0;
  let done = 0;
  const meter = {
    expect: (more: number) => tell({ kind: "expects", requests: more }),
    advance: (more: number) => {
      done += more;
      if (done < TOLD_EVERY) return;
      tell({ kind: "advances", requests: done });
      done = 0;
    },
  };
  try {
    const sessions = await compareFile(file, configurations, io, meter);
    tell({ kind: "advances", requests: done });
    tell({ kind: "compared", sessions, said: said.join("") });
  } catch {
    // Whoever asked does it again where the error can be told as any other.
    tell({ kind: "failed" });
  }
}

function tell(message: ThreadAnswer): void {
  port?.postMessage(message);
}
