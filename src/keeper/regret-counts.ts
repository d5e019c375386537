import type { Decision } from "../model/decision.ts";
import type { Regret } from "../model/regret.ts";
import type { KeeperStats, RegretFigures } from "./contract.ts";

/** Regrets, in all and by the policy whose release was missed. */
export interface RegretCounts {
  /** `decisions`: those in force, among them the ones that were missed. */
  note(regrets: readonly Regret[], decisions: readonly Decision[]): void;
  figures(): RegretFigures;
  counts(): KeeperStats["regretted"];
}

const NONE: RegretFigures = { strict: 0, use: 0, induced: 0 };

/** Nothing regretted yet. */
export function createRegretCounts(): RegretCounts {
  const byPolicy = new Map<string, RegretFigures>();
  return {
    note(regrets, decisions) {
      for (const { itemKey, kind } of regrets) {
        const policy = decisions.find((decision) => decision.itemKey === itemKey)?.policy;
        if (policy === undefined) continue;
        const before = byPolicy.get(policy) ?? NONE;
        byPolicy.set(policy, { ...before, [kind]: before[kind] + 1 });
      }
    },
    figures: () => sumOfRegrets(Array.from(byPolicy.values())),
    counts: () => Array.from(byPolicy, ([policy, figures]) => ({ policy, ...figures })),
  };
}

/** Regrets of several policies or sessions together. */
export function sumOfRegrets(all: readonly RegretFigures[]): RegretFigures {
  return all.reduce(
    (sum, { strict, use, induced }) => ({
      strict: sum.strict + strict,
      use: sum.use + use,
      induced: sum.induced + induced,
    }),
    NONE,
  );
}
