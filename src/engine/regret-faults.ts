import type { Regret } from "../model/regret.ts";

/** By path, the number of steps that showed a regret a release may have caused: what one step shows of a path, in however many ways, is one fault. */
export function faultsByPath(regrets: readonly Regret[]): (path: string | null) => number {
  const steps = new Map<string, Set<number>>();
  for (const { path, step, isFault } of regrets) {
    if (path === null || !isFault) continue;
    const known = steps.get(path);
    if (known === undefined) steps.set(path, new Set([step]));
    else known.add(step);
  }
  return (path) => (path === null ? 0 : (steps.get(path)?.size ?? 0));
}
