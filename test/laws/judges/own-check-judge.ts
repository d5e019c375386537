import type { Watcher } from "../world.ts";

/** Violations that Ebb's own check has counted so far, by what it says of them. */
export const judgeOwnCheck: Watcher = ({ keeper }) => {
  const { law_violations, errors } = keeper.stats();
  if (law_violations === 0) return [];
  return [`own check: ${errors.find(({ code }) => code === "law_violation")?.words ?? "unsaid"}`];
};
