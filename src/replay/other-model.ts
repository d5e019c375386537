import type { ModelFacts } from "../model/cache.ts";
import type { Provider, Wire } from "../model/ports.ts";
import type { ReplaySettings } from "./lane.ts";

/** A model that recorded requests are priced and cached as if they had gone to. */
export interface OtherModel {
  readonly facts: ModelFacts;
  /** Takes messages of role `system` between the others; only its own provider's models do. */
  readonly allowsSystemMessages: boolean;
}

/**
 * The same requests under another model's prices and cache rules. What the recording says of cache lifetimes counts no more where the
 * model offers others: a request then lives as long as that model keeps it.
 */
export function underOtherModel(settings: ReplaySettings, { facts, allowsSystemMessages }: OtherModel): ReplaySettings {
  const { keeper, wires, providerOf } = settings;
  const under = (provider: Provider): Provider => ({ ...provider, modelFacts: () => facts });
  return {
    ...settings,
    keeper: { ...keeper, providers: keeper.providers.map(under) },
    providerOf: (wire, model) => under(providerOf(wire, model)),
    wires: wires.map((wire) => withLifetimesOf(facts, wire)),
    traitsOf: () => ({ allowsSystemMessages, keepsThinking: facts.keepsThinking }),
  };
}

/** What the wire reads, with the lifetime that the model offers in place of the one that a request asks for. */
function withLifetimesOf({ cache, ttlDefaultMs }: ModelFacts, wire: Wire): Wire {
  const lifetimeOf = (askedMs: number): number => {
    if (cache.kind !== "breakpoints") return ttlDefaultMs;
    return offeredLifetime(cache.ttlsMs, askedMs);
  };
  return {
    ...wire,
    read(body, memo, route) {
      const outcome = wire.read(body, memo, route);
      if (!outcome.ok) return outcome;
      const { transcript } = outcome.source;
      const { cacheTtlMs } = transcript.header;
      const header = { ...transcript.header, cacheTtlMs: lifetimeOf(cacheTtlMs ?? ttlDefaultMs) };
      const breakpoints = transcript.breakpoints.map((one) => ({ ...one, ttlMs: lifetimeOf(one.ttlMs) }));
      return { ok: true, source: { ...outcome.source, transcript: { ...transcript, header, breakpoints } } };
    },
  };
}

/** The shortest lifetime offered that is not under the one asked for, else the longest. */
export function offeredLifetime(ttlsMs: readonly number[], askedMs: number): number {
  const offered = ttlsMs.toSorted((left, right) => left - right);
  return offered.find((ttlMs) => ttlMs >= askedMs) ?? offered.at(-1) ?? askedMs;
}
