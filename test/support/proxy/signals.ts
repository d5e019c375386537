export interface Signal {
  /** Resolves once `fire` was called. */
  readonly fired: Promise<void>;
  fire(): void;
}

/** A handshake between the two sides of a test. */
export function createSignal(): Signal {
  let fire: () => void = () => undefined;
  const fired = new Promise<void>((resolve) => {
    fire = resolve;
  });
  return { fired, fire: () => fire() };
}

export interface Queue<Value> {
  put(value: Value): void;
  take(): Promise<Value>;
  /** Everything ever put. */
  count(): number;
}

/** Values in order; `take` waits for the next. */
export function createQueue<Value>(): Queue<Value> {
  const values: Value[] = [];
  const takers: ((value: Value) => void)[] = [];
  let count = 0;
  return {
    put(value) {
      count += 1;
      const taker = takers.shift();
      if (taker === undefined) values.push(value);
      else taker(value);
    },
    take() {
      const value = values.shift();
      return value === undefined ? new Promise((resolve) => takers.push(resolve)) : Promise.resolve(value);
    },
    count: () => count,
  };
}
