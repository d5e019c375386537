import type { Usage } from "../../src/model/usage.ts";
import { type Block, type BodyOptions, bodyOf, EMPTY_TALK, result, results, type Talk, user } from "./conversation.ts";

/** How one request of a client went. */
export interface Step {
  readonly status: number;
  /** The provider's words where it refused; empty where it answered. */
  readonly words: string;
  readonly usage: Usage | null;
  /** What the model said in text. */
  readonly text: string;
}

/** A client that knows nothing of Ebb: it sends its whole history to a base URL and runs the tools it is asked to. */
export interface PlainClient {
  talk: Talk;
  readonly sessionId: string;
  /** A person speaks. */
  say(text: string): void;
  /** Sends the history once; appends the answer and the results of its calls where there is one. */
  step(baseUrl: string): Promise<Step>;
  /** Steps until the model ends its turn. Fails where it does not. */
  turn(baseUrl: string): Promise<readonly Step[]>;
}

const STEPS_MAX = 20;

/** Begins a session. `outputOf` is what a tool answers to its input. */
export function plainClient(
  sessionId: string,
  outputOf: (name: string, input: unknown) => string,
  bodies: BodyOptions = {},
  talk: Talk = EMPTY_TALK,
): PlainClient {
  const client: PlainClient = {
    talk,
    sessionId,
    say(text) {
      client.talk = user(client.talk, text);
    },
    async step(baseUrl) {
      const { status, value } = await post(baseUrl, sessionId, bodyOf(client.talk, { stream: false, ...bodies }));
      if (status !== 200) return { status, words: JSON.stringify(value), usage: null, text: "" };
      const content = value.content ?? [];
      client.talk = { messages: [...client.talk.messages, { role: "assistant", content }] };
      const calls = content.filter(({ type }) => type === "tool_use");
      const answers = calls.map(({ id, name, input }) => result(String(id), outputOf(String(name), input)));
      if (answers.length > 0) client.talk = results(client.talk, ...answers);
      const text = content.map((block) => (block.type === "text" ? String(block.text) : "")).join("");
      return { status, words: "", usage: usageOf(value.usage ?? {}), text };
    },
    async turn(baseUrl) {
      const steps: Step[] = [];
      while (steps.length < STEPS_MAX) {
        const step = await client.step(baseUrl);
        if (step.status !== 200) throw new Error(`${sessionId}: ${step.status} ${step.words}`);
        steps.push(step);
        if (client.talk.messages.at(-1)?.role === "assistant") return steps;
      }
      throw new Error(`${sessionId}: no end of the turn after ${STEPS_MAX} steps`);
    },
  };
  return client;
}

interface Answer {
  readonly content?: readonly Block[];
  readonly usage?: Readonly<Record<string, number>>;
}

async function post(baseUrl: string, sessionId: string, body: Uint8Array): Promise<{ status: number; value: Answer }> {
  const response = await fetch(`${baseUrl}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "key", "x-claude-code-session-id": sessionId },
    body,
  });
  return { status: response.status, value: (await response.json()) as Answer };
}

function usageOf(usage: Readonly<Record<string, number>>): Usage {
  return {
    inputTokens: usage.input_tokens ?? 0,
    cacheReadTokens: usage.cache_read_input_tokens ?? 0,
    cacheWriteTokens: usage.cache_creation_input_tokens ?? 0,
    outputTokens: usage.output_tokens ?? 0,
  };
}
