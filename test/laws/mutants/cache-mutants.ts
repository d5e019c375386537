import type { ModelFacts } from "../../../src/model/cache.ts";
import { realWorld, type World } from "../world.ts";
import type { Mutant } from "./mutants.ts";

/** Keepers that believe of the provider's cache what it does not do. */
export const cacheMutants: readonly Mutant[] = [
  { name: "forgets thinking on every model", world: withFacts((facts) => ({ ...facts, keepsThinking: false })) },
];

export const breakpointMutants: readonly Mutant[] = [
  { name: "puts a fifth breakpoint", world: withFacts(withBreakpoints(5)) },
];

function withBreakpoints(breakpointsMax: number): (facts: ModelFacts) => ModelFacts {
  return (facts) => {
    const { cache } = facts;
    return cache.kind === "breakpoints" ? { ...facts, cache: { ...cache, breakpointsMax } } : facts;
  };
}

function withFacts(change: (facts: ModelFacts) => ModelFacts): World {
  const { provider } = realWorld;
  return {
    ...realWorld,
    provider: { ...provider, modelFacts: (model) => change(provider.modelFacts(model)) },
  };
}
