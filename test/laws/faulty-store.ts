import { EbbError, type EbbErrorCode } from "../../src/lib/ebb-error.ts";
import type { CommitOutcome, Store, StoredOriginal } from "../../src/model/store.ts";
import { createDice } from "./client/dice.ts";
import type { World } from "./world.ts";

/** How a store does right now, and how often it failed since it was last asked. */
export interface Weather {
  /** Chance of failure of one call, in percent. */
  rate: number;
  faults: number;
  /** How often it said that another process wrote first, which makes what this one remembers worthless. */
  conflicts: number;
}

const CODES: readonly [EbbErrorCode, ...EbbErrorCode[]] = [
  "store_locked",
  "store_full",
  "store_corrupt",
  "store_unwritable",
  "store_failed",
];

/** Ebb on a store that fails as the weather says: rejections before anything was written, and every refusal a store can answer. */
export function faultyWorld(world: World, weather: Weather, seed: number): World {
  return {
    ...world,
    adjust: (settings) => world.adjust({ ...settings, store: createFaultyStore(settings.store, weather, seed) }),
  };
}

export function createFaultyStore(store: Store, weather: Weather, seed: number): Store {
  const dice = createDice(seed);
  const isStruck = (): boolean => {
    if (dice.below(100) >= weather.rate) return false;
    weather.faults++;
    return true;
  };
  const guarded = async <Value>(run: () => Promise<Value>, answers: readonly Value[] = []): Promise<Value> => {
    if (!isStruck()) return run();
    const answer = answers[dice.below(answers.length + 1)];
    if (answer !== undefined) return answer;
    throw new EbbError(dice.pick(CODES), "the weather is bad");
  };
  const refusals = (seq: number): readonly CommitOutcome[] => [
    { ok: false, kind: "full", bytesMax: 1 },
    { ok: false, kind: "conflict", seq },
  ];
  const absences: readonly StoredOriginal[] = [
    { state: "corrupt" },
    { state: "unknown" },
    { state: "expired", atMs: 1 },
  ];
  return {
    ...store,
    findChain: (...asked) => guarded(() => store.findChain(...asked)),
    findAnchored: (...asked) => guarded(() => store.findAnchored(...asked)),
    loadLineage: (...asked) => guarded(() => store.loadLineage(...asked)),
    commit: async (commit) => {
      const outcome = await guarded(() => store.commit(commit), refusals(commit.expectedSeq));
      if (!outcome.ok && outcome.kind === "conflict") weather.conflicts++;
      return outcome;
    },
    putOriginals: (...asked) => guarded(() => store.putOriginals(...asked), [false]),
    getOriginal: (...asked) => guarded(() => store.getOriginal(...asked), absences),
    findItems: (...asked) => guarded(() => store.findItems(...asked)),
    listLineages: (...asked) => guarded(() => store.listLineages(...asked)),
  };
}
