/** Small seeded source of chance, so that one number gives one text on every machine. */
export interface Dice {
  /** A whole number from 0 to `count` - 1. */
  below(count: number): number;
  /** True once in `times`. */
  oneIn(times: number): boolean;
  pick<Value>(values: readonly [Value, ...Value[]]): Value;
  shuffled<Value>(values: readonly Value[]): readonly Value[];
}

/** Takes the first of everything, in the order in which it comes. */
export const FIRST_CHOICE: Dice = {
  below: () => 0,
  oneIn: () => false,
  pick: ([first]) => first,
  shuffled: (values) => values,
};

export function createDice(seed: number): Dice {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (count: number): number => next() % count;
  return {
    below,
    oneIn: (times) => below(times) === 0,
    pick: (values) => values[below(values.length)] ?? values[0],
    shuffled(values) {
      const left = [...values];
      const order: (typeof left)[number][] = [];
      while (left.length > 0) order.push(...left.splice(below(left.length), 1));
      return order;
    },
  };
}
