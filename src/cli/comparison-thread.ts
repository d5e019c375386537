import type { MessagePort } from "node:worker_threads";
import type { Configuration } from "../replay/comparison.ts";
import { type ComparisonTask, compareFile, configurationsOf } from "./file-comparison.ts";
import type { Io } from "./io.ts";
import type { ThreadAnswer } from "./thread-pool.ts";

/** Requests between two words of progress. */
const TOLD_EVERY = 10;

/** Compares every file that comes over the port, and answers over it. A file that fails is left to whoever asked. */
export function answerComparisons(port: MessagePort, task: ComparisonTask): void {
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
  const tell = (answer: ThreadAnswer): void => port.postMessage(answer);
  port.on("message", async (file: string) => {
    said.length = 0;
    tell(await answerTo(file, { configurations, io, said, tell }));
  });
}

interface Desk {
  readonly configurations: readonly Configuration[];
  readonly io: Io;
  readonly said: readonly string[];
  readonly tell: (answer: ThreadAnswer) => void;
}

async function answerTo(file: string, { configurations, io, said, tell }: Desk): Promise<ThreadAnswer> {
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
    return { kind: "compared", sessions, said: said.join("") };
  } catch {
    // It fails again where its error is told like any other.
    return { kind: "failed" };
  }
}
