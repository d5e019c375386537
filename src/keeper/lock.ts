/** Runs tasks one after another, in the order they came. */
export interface Lock {
  run<Value>(task: () => Promise<Value>): Promise<Value>;
}

/** An open lock. */
export function createLock(): Lock {
  let tail: Promise<unknown> = Promise.resolve();
  return {
    run(task) {
      const result = tail.then(task, task);
      tail = result.catch(() => undefined);
      return result;
    },
  };
}
