import type { JsonObject } from "../../../src/model/json.ts";
import { anthropicProvider } from "../../../src/providers/anthropic.ts";
import { geminiProvider } from "../../../src/providers/gemini.ts";
import { openaiProvider } from "../../../src/providers/openai.ts";
import type { RunningProxy } from "../../../src/proxy/server.ts";
import type { Scenario } from "../../../src/replay/simulated/scenario.ts";
import { type SimulatedProvider, startSimulatedProvider } from "../../../src/replay/simulated/server.ts";
import { createMemoryStore } from "../../../src/stores/memory.ts";
import { createOpenaiResponses } from "../../../src/wires/openai-responses/index.ts";
import { readResponse } from "../inline/responses-client.ts";
import type { TestKeeperOptions } from "../keeper.ts";
import { type Got, send } from "./client.ts";
import { startInlineProxy } from "./inline-proxy.ts";
import { TOKEN } from "./stage.ts";

/** One conversation of a client of the Responses API through the proxy, with a provider that checks it. */
export interface ResponsesTalk {
  readonly provider: SimulatedProvider;
  /** What the client has, and sends in every request. */
  input: readonly JsonObject[];
  nowMs: number;
  readonly errors: readonly string[];
  /** Sends the history once. */
  post(): Promise<Got>;
  /** A person speaks; calls get their outputs until the model ends its turn. Fails where a request is refused. */
  turn(words: string): Promise<void>;
  /** The same without new words. */
  resume(): Promise<void>;
  /** The same store behind a new keeper and a new proxy. */
  restart(): Promise<void>;
  stats(): Promise<{ readonly errors: readonly unknown[]; readonly law_violations: number; readonly recalls: number }>;
  close(): Promise<void>;
}

export interface ResponsesTalkOptions {
  readonly scenario: Scenario;
  readonly keeper?: TestKeeperOptions;
  readonly isStreaming: boolean;
  /** Members of the body beside model, input and tools. */
  readonly fields?: JsonObject;
  /** What of an item the client keeps; null: nothing. */
  echo?(item: JsonObject): JsonObject | null;
  /** What a tool answers. */
  outputOf(name: string): string;
  /** Happens before each call inside the stream is answered. */
  beforeAnswer?(): void;
}

const FIELDS = { store: false, include: ["reasoning.encrypted_content"], reasoning: { summary: "auto" } };
const TOOLS = ["read", "edit"].map((name) => ({
  type: "function",
  name,
  parameters: { type: "object", properties: { path: { type: "string" } } },
}));

const MODELS = { openai: openaiProvider, gemini: geminiProvider };

/** Starts provider and proxy. */
export async function openResponsesTalk(options: ResponsesTalkOptions): Promise<ResponsesTalk> {
  const { scenario, isStreaming, fields, echo = (item) => item, outputOf } = options;
  const clock = () => talk.nowMs;
  const provider = await startSimulatedProvider({ models: anthropicProvider, otherModels: MODELS, scenario, clock });
  const store = createMemoryStore({});
  const errors: string[] = [];
  let starts = 0;
  let proxy: RunningProxy | null = null;
  const start = async (): Promise<void> => {
    starts += 1;
    const keeper = { ...options.keeper, store, idPrefix: `p${starts}-` };
    proxy = await startInlineProxy({
      keeper,
      wire: createOpenaiResponses(),
      provider: openaiProvider,
      upstream: provider.url,
      clock,
      errors,
      beforeAnswer: options.beforeAnswer,
    });
  };
  const port = () => proxy?.port ?? 0;
  const talk: ResponsesTalk = {
    provider,
    input: [],
    nowMs: 1_000_000,
    errors,
    post() {
      const body = { model: "gpt-5.4", instructions: "be brief", input: talk.input, tools: TOOLS, stream: isStreaming };
      const headers = ["Content-Type", "application/json", "Authorization", "Bearer key", "session-id", "session"];
      const json = JSON.stringify({ ...body, ...FIELDS, ...fields });
      return send(port(), { method: "POST", path: "/v1/responses", headers, body: Buffer.from(json) });
    },
    async turn(words) {
      talk.input = [...talk.input, { role: "user", content: [{ type: "input_text", text: words }] }];
      await talk.resume();
    },
    async resume() {
      for (;;) {
        talk.nowMs += 1_000;
        const got = await talk.post();
        if (got.status !== 200) throw new Error(`${got.status} ${got.body}`);
        const items = outputIn(got.body.toString(), isStreaming);
        const kept = items.map(echo).filter((item) => item !== null);
        const outputs = items.flatMap(({ type, call_id, name }): readonly JsonObject[] =>
          type === "function_call" && call_id !== undefined
            ? [{ type: "function_call_output", call_id, output: outputOf(String(name)) }]
            : [],
        );
        talk.input = [...talk.input, ...kept, ...outputs];
        if (outputs.length === 0) return;
      }
    },
    async restart() {
      await proxy?.close();
      await start();
    },
    async stats() {
      const got = await send(port(), { path: "/stats", headers: ["Authorization", `Bearer ${TOKEN}`] });
      return JSON.parse(got.body.toString());
    },
    async close() {
      await proxy?.close(0);
      await provider.close();
    },
  };
  await start();
  return talk;
}

function outputIn(body: string, isStreaming: boolean): readonly JsonObject[] {
  if (!isStreaming) return JSON.parse(body).output;
  const { items, response } = readResponse(body);
  const repeated = JSON.stringify(response.output);
  if (repeated !== JSON.stringify(items)) throw new Error(`the end repeats ${repeated}`);
  return items;
}
