import type { Watcher } from "../world.ts";

/** Violations that Ebb's own check has counted so far, by what it says of them. */
export const judgeOwnCheck: Watcher = judgeOwnCheckBut(null);

/** The same where the store itself may lose originals, or say so: what it says of them is true and no fault of Ebb's. */
export const judgeOwnCheckInBadWeather: Watcher = judgeOwnCheckBut(
  /^recoverable: the original of \w+ is not in the store$/,
);

function judgeOwnCheckBut(expected: RegExp | null): Watcher {
  return ({ keeper }) => {
    const { law_violations, errors } = keeper.stats();
    if (law_violations === 0) return [];
    const said = errors.filter(({ code }) => code === "law_violation").map(({ words }) => words);
    if (said.length === 0) return ["own check: unsaid"];
    const unexpected = said.find((words) => expected?.test(words) !== true);
    return unexpected === undefined ? [] : [`own check: ${unexpected}`];
  };
}
