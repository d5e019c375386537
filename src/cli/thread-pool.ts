import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { Worker } from "node:worker_threads";
import type { ComparedSession } from "../replay/comparison.ts";
import type { ComparisonTask, WorkMeter } from "./file-comparison.ts";

/** What a thread answers about the file it was given. */
export type ThreadAnswer =
  | { readonly kind: "expects"; readonly requests: number }
  | { readonly kind: "advances"; readonly requests: number }
  | { readonly kind: "compared"; readonly sessions: readonly ComparedSession[]; readonly said: string }
  | { readonly kind: "failed" };

/** What became of a file, and what was said of it; null where it failed or nobody came to it. */
export type ThreadOutcome = Pick<Extract<ThreadAnswer, { kind: "compared" }>, "sessions" | "said"> | null;

/** Threads are only in the built program: nothing else loads what a thread begins with. */
const IS_BUILT = import.meta.url.endsWith(".js");
const THREAD = new URL("../../bin/comparison-thread.mjs", import.meta.url);
/** Below this a thread takes longer to begin than its files take. */
const BYTES_MIN = 2_000_000;
const THREADS_MAX = 16;

/** Threads worth their start for these files; 1: none beside this one. */
export function threadsFor(files: readonly string[], { cwd }: ComparisonTask["place"]): number {
  if (!IS_BUILT) return 1;
  const bytes = files.reduce((sum, file) => {
    return sum + (statSync(resolve(cwd, file), { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
  return bytes < BYTES_MIN ? 1 : Math.min(files.length, availableParallelism(), THREADS_MAX);
}

/** Compares files in threads; outcomes in the order of the files. After a failure no further file is begun. */
export async function compareInThreads(
  files: readonly string[],
  task: ComparisonTask,
  threads: number,
  meter: WorkMeter,
): Promise<readonly ThreadOutcome[]> {
  const outcomes: ThreadOutcome[] = files.map(() => null);
  let next = 0;
  let hasFailed = false;
  await Promise.all(
    Array.from({ length: threads }, async () => {
      const thread = new Worker(THREAD, { workerData: task });
      try {
        for (let index = next++; index < files.length && !hasFailed; index = next++) {
          const outcome = await askThread(thread, files[index] ?? "", meter);
          outcomes[index] = outcome;
          if (outcome === null) hasFailed = true;
        }
      } finally {
        await thread.terminate();
      }
    }),
  );
  return outcomes;
}

function askThread(thread: Worker, file: string, meter: WorkMeter): Promise<ThreadOutcome> {
  return new Promise((settle, fail) => {
    const end = (outcome: ThreadOutcome): void => {
      thread.off("message", hear);
      thread.off("error", fail);
      settle(outcome);
    };
    const hear = (answer: ThreadAnswer): void => {
      if (answer.kind === "expects") meter.expect(answer.requests);
      else if (answer.kind === "advances") meter.advance(answer.requests);
      else end(answer.kind === "compared" ? answer : null);
    };
    thread.on("message", hear);
    thread.once("error", fail);
    thread.postMessage(file);
  });
}
