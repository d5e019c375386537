import type { ModelFacts } from "../../model/cache.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { PromptCache } from "./cache.ts";
import type { ExchangeRules } from "./exchange.ts";
import type { TokenBill } from "./price.ts";
import type { Refusal } from "./refusal.ts";
import type { Scenario } from "./scenario.ts";

/** What a request asks of an API by its path. */
export interface ApiCall {
  readonly purpose: "generate" | "count" | "compact";
  /** Model that the path names; null where the body does. */
  readonly model: string | null;
  /** How an answer is streamed; null where the body says whether it is. */
  readonly stream: "events" | "array" | "none" | null;
}

/** What an API keeps between requests; never changed in place. */
export interface ApiState {
  readonly cache: PromptCache;
  /** Answers it holds, by their ids. */
  readonly held: ReadonlyMap<string, HeldAnswer>;
}

/** One answer the server holds, so that a later request may go on from it. */
export interface HeldAnswer {
  /** The answer before it; null where the conversation began with this one. */
  readonly previousId: string | null;
  /** What the request added, and what was answered. */
  readonly items: readonly JsonObject[];
}

/** One request, its body parsed. */
export interface ApiRequest {
  readonly call: ApiCall;
  readonly body: JsonValue;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly scenario: Scenario;
  readonly state: ApiState;
  /** Unix time at which it started, in milliseconds. */
  readonly atMs: number;
  readonly rules: ExchangeRules;
}

/** A stream, one piece an event. */
export interface Streamed {
  readonly contentType: string;
  readonly events: readonly string[];
}

export type ApiAnswer =
  | { readonly ok: false; readonly refusal: Refusal }
  | {
      readonly ok: true;
      readonly message: JsonObject;
      /** Null where the answer is one JSON text. */
      readonly stream: Streamed | null;
      /** Null where no model answered. */
      readonly billed: { readonly bill: TokenBill; readonly facts: ModelFacts } | null;
      readonly state: ApiState;
      readonly advanceMs: number;
    };

/** One API that the simulated provider speaks. Pure: the same request in the same state is the same answer. */
export interface SimulatedApi {
  readonly name: "anthropic-messages" | "openai-chat" | "openai-responses" | "gemini";
  /** Header in which it names a request; null for none. */
  readonly requestIdHeader: string | null;
  /** What a request asks of it; null where the path is not its own. */
  callOf(method: string, path: string, query: URLSearchParams): ApiCall | null;
  answer(request: ApiRequest): ApiAnswer;
  /** An error in its own shape. */
  errorBody(refusal: Refusal, call: ApiCall): JsonValue;
}

/** What an API knows before its first request. */
export const emptyState: ApiState = { cache: new Map(), held: new Map() };
