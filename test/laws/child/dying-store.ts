import type { Store } from "../../../src/model/store.ts";

/** Counts steps, and kills this process at one of them. */
export interface Steps {
  step(): void;
  readonly count: number;
}

/** Steps from 1; none kills where `killAt` is 0. */
export function stepsUntil(killAt: number): Steps {
  let count = 0;
  return {
    step() {
      count++;
      if (count === killAt) process.kill(process.pid, "SIGKILL");
    },
    get count() {
      return count;
    },
  };
}

/** The store with a step before and after each call. */
export function dyingStore(inner: Store, { step }: Steps): Store {
  const around = async <Value>(run: () => Promise<Value>): Promise<Value> => {
    step();
    const value = await run();
    step();
    return value;
  };
  return {
    ...inner,
    findChain: (...asked) => around(() => inner.findChain(...asked)),
    findAnchored: (...asked) => around(() => inner.findAnchored(...asked)),
    loadLineage: (...asked) => around(() => inner.loadLineage(...asked)),
    commit: (...asked) => around(() => inner.commit(...asked)),
    putOriginals: (...asked) => around(() => inner.putOriginals(...asked)),
    getOriginal: (...asked) => around(() => inner.getOriginal(...asked)),
    listLineages: (...asked) => around(() => inner.listLineages(...asked)),
  };
}
