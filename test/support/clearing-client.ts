import type { Keeper, Prepared } from "../../src/keeper/contract.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import type { ResponseFacts, Usage } from "../../src/model/usage.ts";
import { anthropicProvider } from "../../src/providers/anthropic.ts";
import { betasOf, CONTEXT_MANAGEMENT_BETA } from "../../src/replay/simulated/betas.ts";
import { createCapture } from "../../src/replay/simulated/capture.ts";
import { eventsOf } from "../../src/replay/simulated/events.ts";
import { isObject } from "../../src/replay/simulated/json.ts";
import { byteCounter } from "../../src/replay/simulated/prompt.ts";
import { errorBody, type Refusal } from "../../src/replay/simulated/refusal.ts";
import type { ScriptStep } from "../../src/replay/simulated/scenario.ts";
import { createSimulator, type Simulator } from "../../src/replay/simulated/simulator.ts";
import { type Block, type BodyOptions, bodyOf, EMPTY_TALK, result, results, type Talk, user } from "./conversation.ts";
import { prepare, type SendOptions, wire } from "./keeper.ts";
import { SIGNING_MODEL } from "./signing-provider.ts";

/** A provider with a cache, signatures and context editing, whose model plays these steps. */
export function clearingProvider(steps: readonly ScriptStep[]): Simulator {
  return createSimulator({
    rules: { models: anthropicProvider, counter: byteCounter, signatures: true, mediaMax: 100 },
    scenario: { scripts: [{ match: "", steps }] },
    clock: () => 0,
    capture: createCapture(null),
  });
}

/** How one request went. */
export interface Exchanged {
  readonly prepared: Extract<Prepared, { kind: "forward" }>;
  readonly sent: JsonObject;
  /** Words of the refusal; null where the model answered. */
  readonly refused: string | null;
  /** What the provider said that it cleared. */
  readonly applied: JsonValue;
  readonly usage: Usage | null;
}

export interface ExchangeOptions extends BodyOptions, SendOptions {
  /** Members of the body beside those of every request. */
  readonly more?: JsonObject;
  /** What the provider does with the request, in place of its own answer. */
  readonly answer?: (body: JsonObject) => JsonObject | Refusal | null;
}

/** A client that runs the tools it is asked to, in front of a keeper and a provider. */
export interface ClearingClient {
  talk: Talk;
  exchange(atMs: number, options?: ExchangeOptions): Promise<Exchanged>;
  /** Sends, and appends the answer and the results of its calls. */
  step(atMs: number, options?: ExchangeOptions): Promise<Exchanged>;
}

/** Begins a conversation. `outputOf` is what a tool answers to its input; what begins with `error: ` is an error. */
export function clearingClient(
  keeper: Keeper,
  provider: Simulator,
  outputOf: (name: string, input: JsonValue) => string,
): ClearingClient {
  let content: readonly Block[] = [];
  const client: ClearingClient = {
    talk: user(EMPTY_TALK, "please work"),
    async exchange(atMs, { more = {}, answer = () => null, ...options } = {}) {
      const bodies = { model: SIGNING_MODEL, thinking: { type: "adaptive" }, stream: false, ...options };
      const plain: JsonObject = JSON.parse(Buffer.from(bodyOf(client.talk, bodies)).toString());
      const prepared = await prepare(keeper, Buffer.from(JSON.stringify({ ...plain, ...more })), { atMs, ...options });
      if (prepared.kind === "refuse") throw new Error(prepared.words);
      const sent: JsonObject = JSON.parse(Buffer.concat(prepared.body).toString());
      const betas = betasOf([...betasOfClient(more), ...prepared.headers.map(({ value }) => value)]);
      const own = provider.exchange(sent, { atMs, betas });
      const reply = answer(sent) ?? (own.ok ? own.message : own.refusal);
      const refusal = isRefusal(reply) ? reply : null;
      const message = isRefusal(reply) ? {} : reply;
      const facts = factsOf(refusal === null ? message : errorBody(refusal), refusal === null && sent.stream === true);
      await prepared.finish(facts, refusal?.status ?? 200);
      content = blocksIn(message);
      const applied = isObject(message.context_management) ? (message.context_management.applied_edits ?? null) : null;
      return { prepared, sent, refused: refusal?.words ?? null, applied, usage: facts.usage };
    },
    async step(atMs, options) {
      const done = await client.exchange(atMs, options);
      if (done.refused !== null) return done;
      const calls = content.filter(({ type }) => type === "tool_use");
      const answered = { messages: [...client.talk.messages, { role: "assistant", content }] };
      const outputs = calls.map((call) => {
        const text = outputOf(String(call.name), call.input as JsonValue);
        return result(String(call.id), text, text.startsWith("error: "));
      });
      client.talk = outputs.length === 0 ? user(answered, "go on") : results(answered, ...outputs);
      return done;
    },
  };
  return client;
}

function betasOfClient(more: JsonObject): readonly string[] {
  return "context_management" in more ? [CONTEXT_MANAGEMENT_BETA] : [];
}

function isRefusal(reply: JsonObject | Refusal): reply is Refusal {
  return typeof reply.words === "string";
}

function blocksIn(message: JsonObject): readonly Block[] {
  return Array.isArray(message.content) ? (message.content as unknown as readonly Block[]) : [];
}

function factsOf(reply: JsonObject, isStreaming: boolean): ResponseFacts {
  const watcher = wire.watch(isStreaming);
  watcher.push(Buffer.from(isStreaming ? eventsOf(reply).join("") : JSON.stringify(reply)));
  return watcher.finish();
}
