import type { Store } from "../../../src/model/store.ts";
import { anthropicProvider } from "../../../src/providers/anthropic.ts";
import type { RunningProxy } from "../../../src/proxy/server.ts";
import type { Scenario } from "../../../src/replay/simulated/scenario.ts";
import { type SimulatedProvider, startSimulatedProvider } from "../../../src/replay/simulated/server.ts";
import { createMemoryStore } from "../../../src/stores/memory.ts";
import { type BodyOptions, bodyOf, EMPTY_TALK, result, results, type Talk, user } from "../conversation.ts";
import { readStream } from "../inline/client-stream.ts";
import { type TestKeeperOptions, wire } from "../keeper.ts";
import { type Got, send } from "./client.ts";
import { startInlineProxy } from "./inline-proxy.ts";
import { TOKEN } from "./stage.ts";

/** One conversation through the proxy with a provider that checks it, on a clock that the test moves. */
export interface InlineTalk {
  readonly provider: SimulatedProvider;
  talk: Talk;
  nowMs: number;
  readonly errors: readonly string[];
  /** Sends the history once. */
  post(): Promise<Got>;
  /** A person speaks; calls get their results until the model ends its turn. Fails where a request is refused. */
  turn(words: string): Promise<void>;
  /** The same without new words, where the last request failed. */
  resume(): Promise<void>;
  /** The same store behind a new keeper and a new proxy. */
  restart(): Promise<void>;
  stats(): Promise<{ readonly errors: readonly unknown[]; readonly law_violations: number; readonly recalls: number }>;
  close(): Promise<void>;
}

export interface InlineTalkOptions {
  readonly scenario: Scenario;
  readonly keeper?: TestKeeperOptions;
  readonly bodies: BodyOptions;
  /** What a tool answers. */
  outputOf(name: string, input: Readonly<Record<string, unknown>>): string;
  /** Happens before each call inside the stream is answered. */
  beforeAnswer?(): void;
}

/** Starts provider and proxy. */
export async function openInlineTalk(options: InlineTalkOptions): Promise<InlineTalk> {
  const { scenario, keeper, bodies, outputOf, beforeAnswer } = options;
  const clock = () => talk.nowMs;
  const provider = await startSimulatedProvider({ models: anthropicProvider, scenario, clock });
  const store: Store = createMemoryStore({});
  const errors: string[] = [];
  let starts = 0;
  let proxy: RunningProxy | null = null;
  const start = async (): Promise<void> => {
    starts += 1;
    const keeperOptions = { ...keeper, store, idPrefix: `p${starts}-` };
    proxy = await startInlineProxy({
      keeper: keeperOptions,
      wire,
      provider: anthropicProvider,
      upstream: provider.url,
      clock,
      errors,
      beforeAnswer,
    });
  };
  const port = () => proxy?.port ?? 0;
  const talk: InlineTalk = {
    provider,
    talk: EMPTY_TALK,
    nowMs: 1_000_000,
    errors,
    post: () => {
      const headers = ["Content-Type", "application/json", "X-Api-Key", "key", "X-Claude-Code-Session-Id", "session"];
      return send(port(), { method: "POST", path: "/v1/messages", headers, body: bodyOf(talk.talk, bodies) });
    },
    async turn(words) {
      talk.talk = user(talk.talk, words);
      await talk.resume();
    },
    async resume() {
      for (;;) {
        talk.nowMs += 1_000;
        const got = await talk.post();
        if (got.status !== 200) throw new Error(`${got.status} ${got.body}`);
        const { content } = readStream(got.body.toString());
        talk.talk = { messages: [...talk.talk.messages, { role: "assistant", content }] };
        const answers = content.flatMap(({ type, id, name, input }) =>
          type === "tool_use" ? [result(String(id), outputOf(String(name), Object(input)))] : [],
        );
        if (answers.length === 0) return;
        talk.talk = results(talk.talk, ...answers);
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

/** The request as far as the next one must repeat it: all bytes but breakpoints, up to the end of its messages. */
export function prefixOf(bodyRaw: string): string {
  const plain = bodyRaw.replaceAll(/,"cache_control":\{[^}]*\}/g, "");
  return plain.slice(0, plain.lastIndexOf("]}"));
}
