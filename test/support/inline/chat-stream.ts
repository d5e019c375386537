import { createSseReader } from "../../../src/lib/sse.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";

/** A message of Chat Completions as a client puts it together out of a stream. */
export interface ChatMessage {
  readonly id: JsonValue | undefined;
  readonly role: string;
  readonly content: string;
  readonly reasoning_content: string;
  /** By the index that the stream gives them. */
  readonly tool_calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly finish_reason: JsonValue | undefined;
  readonly usage: JsonValue | undefined;
  readonly dones: number;
  readonly errors: readonly JsonValue[];
}

/** Reads a stream as clients do: texts of one member grow, calls are told by index, an id may not change. */
export function readChatStream(stream: string): ChatMessage {
  const calls = new Map<number, { id: string; name: string; arguments: string }>();
  const grown = { role: "", content: "", reasoning_content: "" };
  const errors: JsonValue[] = [];
  const ids = new Set<JsonValue>();
  let [finish, usage, dones]: [JsonValue | undefined, JsonValue | undefined, number] = [undefined, undefined, 0];
  const reader = createSseReader(({ data }) => {
    if (data === "[DONE]") {
      dones += 1;
      return;
    }
    if (dones > 0) throw new Error("something comes behind the end");
    const chunk = JSON.parse(data) as JsonObject;
    if (chunk.error !== undefined) errors.push(chunk.error);
    if (chunk.id !== undefined) ids.add(chunk.id);
    usage = chunk.usage ?? usage;
    const [choice] = (chunk.choices ?? []) as readonly JsonObject[];
    if (choice === undefined) return;
    if (finish !== undefined && finish !== null) throw new Error("the message goes on behind its end");
    finish = choice.finish_reason ?? undefined;
    const delta = (choice.delta ?? {}) as JsonObject;
    for (const name of ["role", "content", "reasoning_content"] as const) {
      const added = delta[name];
      if (typeof added === "string") grown[name] += added;
    }
    for (const entry of (delta.tool_calls ?? []) as readonly JsonObject[]) takeEntry(calls, entry);
  });
  reader.push(Buffer.from(stream));
  if (ids.size > 1) throw new Error("the message has two ids");
  return {
    id: [...ids][0],
    ...grown,
    tool_calls: [...calls.keys()].sort((one, other) => one - other).flatMap((index) => calls.get(index) ?? []),
    finish_reason: finish,
    usage,
    dones,
    errors,
  };
}

function takeEntry(calls: Map<number, { id: string; name: string; arguments: string }>, entry: JsonObject): void {
  const index = Number(entry.index ?? calls.size);
  const call = calls.get(index) ?? { id: "", name: "", arguments: "" };
  const told = (entry.function ?? {}) as JsonObject;
  calls.set(index, {
    id: call.id || String(entry.id ?? ""),
    name: call.name || String(told.name ?? ""),
    arguments: call.arguments + String(told.arguments ?? ""),
  });
}

/** What a simulated server says in one response. */
export interface ChatRound {
  readonly id?: string;
  readonly texts?: readonly string[];
  readonly thoughts?: readonly string[];
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly arguments?: string }[];
  readonly finish?: string | null;
  readonly completion?: number;
  readonly done?: boolean;
}

/** The chunks of a response as OpenAI sends them: the role first, arguments in pieces, the end, usage. */
export function chunksOfRound(round: ChatRound): readonly string[] {
  const { id = "chatcmpl-1", texts = [], thoughts = [], calls = [], completion = 5, done = true } = round;
  const finish = round.finish === undefined ? (calls.length > 0 ? "tool_calls" : "stop") : round.finish;
  const chunk = (delta: object, reason: string | null = null) =>
    lineOf({
      id,
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
      usage: null,
    });
  return [
    chunk({ role: "assistant", content: "", refusal: null }),
    ...thoughts.map((words) => chunk({ reasoning_content: words })),
    ...texts.map((words) => chunk({ content: words })),
    ...calls.flatMap(({ id: callId, name, arguments: words = '{"id":"a"}' }, index) => [
      chunk({ tool_calls: [{ index, id: callId, type: "function", function: { name, arguments: "" } }] }),
      ...[words.slice(0, 3), words.slice(3)].map((piece) =>
        chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]),
    ...(finish === null ? [] : [chunk({}, finish)]),
    lineOf({
      id,
      object: "chat.completion.chunk",
      choices: [],
      usage: { prompt_tokens: 100, completion_tokens: completion, total_tokens: 100 + completion },
    }),
    ...(done ? ["data: [DONE]\n\n"] : []),
  ];
}

/** One chunk as bytes of a stream. */
export function lineOf(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
