import type { JsonObject } from "../../../src/model/json.ts";
import { anthropicProvider } from "../../../src/providers/anthropic.ts";
import { geminiProvider } from "../../../src/providers/gemini.ts";
import { openaiProvider } from "../../../src/providers/openai.ts";
import type { RunningProxy } from "../../../src/proxy/server.ts";
import type { Scenario } from "../../../src/replay/simulated/scenario.ts";
import { type SimulatedProvider, startSimulatedProvider } from "../../../src/replay/simulated/server.ts";
import { createMemoryStore } from "../../../src/stores/memory.ts";
import { createOpenaiChat } from "../../../src/wires/openai-chat/index.ts";
import { readChatStream } from "../inline/chat-stream.ts";
import type { TestKeeperOptions } from "../keeper.ts";
import { type Got, send } from "./client.ts";
import { startInlineProxy } from "./inline-proxy.ts";
import { TOKEN } from "./stage.ts";

/** One conversation of a client of Chat Completions through the proxy, with a provider that checks it. */
export interface ChatTalk {
  readonly provider: SimulatedProvider;
  /** What the client has, and sends in every request. */
  messages: readonly JsonObject[];
  nowMs: number;
  readonly errors: readonly string[];
  /** Usage of the responses as the client was told it. */
  readonly usages: JsonObject[];
  /** Sends the history once. */
  post(): Promise<Got>;
  /** A person speaks; calls get their results until the model ends its turn. Fails where a request is refused. */
  turn(words: string): Promise<void>;
  /** The same without new words. */
  resume(): Promise<void>;
  /** The same store behind a new keeper and a new proxy. */
  restart(): Promise<void>;
  stats(): Promise<{ readonly errors: readonly unknown[]; readonly law_violations: number; readonly recalls: number }>;
  close(): Promise<void>;
}

export interface ChatTalkOptions {
  readonly scenario: Scenario;
  readonly keeper?: TestKeeperOptions;
  readonly isStreaming: boolean;
  /** How the client writes down a message of the model. */
  echo?(message: JsonObject): JsonObject;
  /** What a tool answers. */
  outputOf(name: string): string;
  /** Happens before each call inside the stream is answered. */
  beforeAnswer?(): void;
}

const TOOLS = ["read", "edit"].map((name) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: { path: { type: "string" } } } },
}));

const OTHERS = { openai: openaiProvider, gemini: geminiProvider };

/** Starts provider and proxy. */
export async function openChatTalk(options: ChatTalkOptions): Promise<ChatTalk> {
  const { scenario, isStreaming, echo = (message) => message, outputOf } = options;
  const clock = () => talk.nowMs;
  const provider = await startSimulatedProvider({ models: anthropicProvider, otherModels: OTHERS, scenario, clock });
  const store = createMemoryStore({});
  const errors: string[] = [];
  let starts = 0;
  let proxy: RunningProxy | null = null;
  const start = async (): Promise<void> => {
    starts += 1;
    const keeperOptions = { ...options.keeper, store, idPrefix: `p${starts}-`, provider: openaiProvider };
    proxy = await startInlineProxy({
      keeper: keeperOptions,
      wire: createOpenaiChat(),
      provider: openaiProvider,
      upstream: provider.url,
      clock,
      errors,
      beforeAnswer: options.beforeAnswer,
    });
  };
  const port = () => proxy?.port ?? 0;
  const talk: ChatTalk = {
    provider,
    messages: [{ role: "system", content: "be brief" }],
    nowMs: 1_000_000,
    errors,
    usages: [],
    post() {
      const stream = isStreaming ? { stream: true, stream_options: { include_usage: true } } : {};
      const body = { model: "gpt-5.4", messages: talk.messages, tools: TOOLS, ...stream };
      const headers = ["Content-Type", "application/json", "Authorization", "Bearer key", "X-Session-Id", "session"];
      const path = "/v1/chat/completions";
      return send(port(), { method: "POST", path, headers, body: Buffer.from(JSON.stringify(body)) });
    },
    async turn(words) {
      talk.messages = [...talk.messages, { role: "user", content: words }];
      await talk.resume();
    },
    async resume() {
      for (;;) {
        talk.nowMs += 1_000;
        const got = await talk.post();
        if (got.status !== 200) throw new Error(`${got.status} ${got.body}`);
        const message = messageIn(got.body.toString(), isStreaming, talk.usages);
        const results = callsIn(message).map(({ id, function: told }) => ({
          role: "tool",
          tool_call_id: String(id),
          content: outputOf(String(Object(told).name)),
        }));
        talk.messages = [...talk.messages, echo(message), ...results];
        if (results.length === 0) return;
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

function callsIn(message: JsonObject): readonly JsonObject[] {
  return Array.isArray(message.tool_calls) ? message.tool_calls : [];
}

/** The message as a client keeps it. A stream that does not end fails. */
function messageIn(body: string, isStreaming: boolean, usages: JsonObject[]): JsonObject {
  if (!isStreaming) {
    const { choices, usage } = JSON.parse(body);
    usages.push(usage);
    return choices[0].message;
  }
  const told = readChatStream(body);
  if (told.dones !== 1 || told.errors.length > 0) throw new Error(`the stream does not end: ${body.slice(-300)}`);
  usages.push(Object(told.usage));
  return {
    role: told.role,
    content: told.content === "" ? null : told.content,
    ...(told.reasoning_content === "" ? {} : { reasoning_content: told.reasoning_content }),
    ...(told.tool_calls.length === 0
      ? {}
      : {
          tool_calls: told.tool_calls.map(({ id, name, arguments: words }) => ({
            id,
            type: "function",
            function: { name, arguments: words },
          })),
        }),
  };
}
