import type { JsonValue } from "../../model/json.ts";
import { emptyCache, type PromptCache } from "./cache.ts";
import type { Capture } from "./capture.ts";
import { type Counted, countTokens, type Exchange, type ExchangeRules, exchange } from "./exchange.ts";
import type { Fault } from "./fault.ts";
import type { Scenario } from "./scenario.ts";

/** What one provider holds between requests: scenario, prompt cache, clock, a waiting fault, captured requests. */
export interface Simulator {
  readonly rules: ExchangeRules;
  readonly capture: Capture;
  nowMs(): number;
  advance(ms: number): void;
  setScenario(scenario: Scenario): void;
  setFault(fault: Fault): void;
  /** The fault that this call meets, counted down; null when none waits. */
  takeFault(): Fault | null;
  /** Answers one body; an accepted one changes the prompt cache. */
  exchange(body: JsonValue, given: { readonly atMs: number; readonly betas: ReadonlySet<string> }): Exchange;
  /** Counts one body's tokens and changes nothing. */
  count(body: JsonValue, betas: ReadonlySet<string>): Counted;
}

export interface SimulatorParts {
  readonly rules: ExchangeRules;
  readonly scenario: Scenario;
  readonly clock: () => number;
  readonly capture: Capture;
}

/** A provider with an empty cache. */
export function createSimulator(parts: SimulatorParts): Simulator {
  let scenario = parts.scenario;
  let cache: PromptCache = emptyCache;
  let aheadMs = 0;
  let waiting: { readonly fault: Fault; readonly times: number } | null = null;
  return {
    rules: parts.rules,
    capture: parts.capture,
    nowMs: () => parts.clock() + aheadMs,
    advance(ms) {
      aheadMs += ms;
    },
    setScenario(next) {
      scenario = next;
    },
    setFault(fault) {
      waiting = { fault, times: fault.times ?? 1 };
    },
    takeFault() {
      if (waiting === null) return null;
      const { fault, times } = waiting;
      waiting = times > 1 ? { fault, times: times - 1 } : null;
      return fault;
    },
    exchange(body, { atMs, betas }) {
      const result = exchange(body, { scenario, cache, atMs, betas }, parts.rules);
      if (result.ok) cache = result.cache;
      return result;
    },
    count: (body, betas) => countTokens(body, { scenario, betas }, parts.rules),
  };
}
