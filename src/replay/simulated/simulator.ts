import type { JsonValue } from "../../model/json.ts";
import { anthropicMessagesApi } from "./anthropic-messages.ts";
import { type ApiAnswer, type ApiRequest, type ApiState, emptyState, type SimulatedApi } from "./api.ts";
import type { Capture } from "./capture.ts";
import { type Counted, countTokens, type Exchange, type ExchangeRules, exchange } from "./exchange.ts";
import type { Fault } from "./fault.ts";
import type { Scenario } from "./scenario.ts";

/** One request for an API, without what the provider itself holds. */
export type Asked = Pick<ApiRequest, "call" | "body" | "headers" | "atMs">;

/** What one provider holds between requests: scenario, prompt caches, clock, a waiting fault, captured requests. */
export interface Simulator {
  readonly rules: ExchangeRules;
  readonly capture: Capture;
  nowMs(): number;
  advance(ms: number): void;
  setScenario(scenario: Scenario): void;
  setFault(fault: Fault): void;
  /** The fault that this call meets, counted down; null when none waits. */
  takeFault(): Fault | null;
  /** Answers one request; an accepted one changes what this API holds. */
  answer(api: SimulatedApi, asked: Asked): ApiAnswer;
  /** Answers one body of the Messages API; an accepted one changes the prompt cache. */
  exchange(body: JsonValue, given: { readonly atMs: number; readonly betas: ReadonlySet<string> }): Exchange;
  /** Counts the tokens of one body of the Messages API and changes nothing. */
  count(body: JsonValue, betas: ReadonlySet<string>): Counted;
}

export interface SimulatorParts {
  readonly rules: ExchangeRules;
  readonly scenario: Scenario;
  readonly clock: () => number;
  readonly capture: Capture;
}

/** A provider with empty caches. */
export function createSimulator(parts: SimulatorParts): Simulator {
  const { rules } = parts;
  const states = new Map<SimulatedApi["name"], ApiState>();
  const stateOf = (name: SimulatedApi["name"]): ApiState => states.get(name) ?? emptyState;
  let scenario = parts.scenario;
  let aheadMs = 0;
  let waiting: { readonly fault: Fault; readonly times: number } | null = null;
  return {
    rules,
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
    answer(api, asked) {
      const answered = api.answer({ ...asked, scenario, state: stateOf(api.name), rules });
      if (answered.ok) states.set(api.name, answered.state);
      return answered;
    },
    exchange(body, { atMs, betas }) {
      const state = stateOf(anthropicMessagesApi.name);
      const result = exchange(body, { scenario, cache: state.cache, atMs, betas }, rules);
      if (result.ok) states.set(anthropicMessagesApi.name, { ...state, cache: result.cache });
      return result;
    },
    count: (body, betas) => countTokens(body, { scenario, betas }, rules),
  };
}
