/**
 * Items that the client may not see yet: reasoning, until it is known what follows it, and calls of Ebb's behind it. A reasoning item
 * must keep the item that follows it, in what the client has too.
 */
export interface Holding {
  /** Places of reasoning that nothing but Ebb's calls followed so far. */
  readonly reasoning: readonly number[];
  /** Places of Ebb's calls behind it. */
  readonly calls: readonly number[];
}

/** What a new item is, as far as it matters here. */
export type HeldKind = "reasoning" | "own-call" | "other";

/** What a new item changes. */
export interface Held {
  readonly holding: Holding;
  /** Places of reasoning that the client gets now, in front of the new item. */
  readonly shown: readonly number[];
  /** What was held is settled: the client gets no more of it. */
  readonly isSettled: boolean;
}

/** Nothing is held. */
export const NOTHING_HELD: Holding = { reasoning: [], calls: [] };

/** Another item begins at this place. */
export function holdItem(holding: Holding, kind: HeldKind, index: number): Held {
  const { reasoning, calls } = holding;
  switch (kind) {
    case "own-call":
      return { holding: { reasoning, calls: [...calls, index] }, shown: [], isSettled: false };
    case "reasoning": {
      const isNew = calls.length > 0;
      const held = isNew ? [index] : [...reasoning, index];
      return { holding: { reasoning: held, calls: [] }, shown: [], isSettled: isNew };
    }
    case "other":
      return { holding: NOTHING_HELD, shown: reasoning, isSettled: true };
  }
}

/**
 * The response ends: reasoning in front of Ebb's calls alone stays with them. Where calls are answered next, reasoning that leads to
 * nothing is nobody's: no request could hold it.
 */
export function endHolding({ reasoning, calls }: Holding, isAnswered: boolean): Held {
  return { holding: NOTHING_HELD, shown: isAnswered || calls.length > 0 ? [] : reasoning, isSettled: true };
}
