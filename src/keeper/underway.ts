/** Tasks that began and did not end yet. */
export interface Underway {
  track<Value>(task: Promise<Value>): Promise<Value>;
  /** Resolves when those that run now have ended, well or not. */
  whenDone(): Promise<void>;
}

/** Keeps a task only as long as it runs. */
export function createUnderway(): Underway {
  const tasks = new Set<Promise<unknown>>();
  return {
    track(task) {
      const end = () => tasks.delete(task);
      tasks.add(task);
      task.then(end, end);
      return task;
    },
    whenDone: async () => {
      await Promise.allSettled(tasks);
    },
  };
}
