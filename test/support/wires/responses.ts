import type { SampleResponse } from "../../../src/testing/test-wire-responses.ts";
import type { WireName } from "./writers.ts";

const WORDS = ["größer → ", "😀👩‍👩‍👧 ", "naïve\u2028tail"] as const;
const TEXT = WORDS.join("");
const TOOL = "lies_größe";
const ARGUMENTS = '{"path":"/w/größe.ts"}';

/** A response, and the names of the tools it calls. */
export interface ToldResponse extends SampleResponse {
  readonly calls: readonly string[];
}

interface Named {
  readonly type: string;
  readonly [name: string]: unknown;
}

/** Events with a name, as two of the formats send them. */
function named(events: readonly Named[]): string {
  return events.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join("");
}

function unnamed(pieces: readonly object[], end = ""): string {
  return pieces.map((data) => `data: ${JSON.stringify(data)}\n\n`).join("") + end;
}

const streamed = (name: string, text: string): ToldResponse => ({
  name,
  bytes: Buffer.from(text),
  isStreaming: true,
  calls: [TOOL],
});
const whole = (name: string, value: object, calls: readonly string[] = [TOOL]): ToldResponse => ({
  name,
  bytes: Buffer.from(JSON.stringify(value, null, 1)),
  isStreaming: false,
  calls,
});

const messagesUsage = {
  input_tokens: 5,
  cache_read_input_tokens: 70,
  cache_creation_input_tokens: 9,
  output_tokens: 1,
};
const messages: readonly ToldResponse[] = [
  streamed(
    "a stream of text and a call",
    named([
      { type: "message_start", message: { id: "msg_1", role: "assistant", content: [], usage: messagesUsage } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      ...WORDS.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
      { type: "content_block_stop", index: 0 },
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "tool_use", id: "toolu_1", name: TOOL, input: {} },
      },
      { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: ARGUMENTS } },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 42 } },
      { type: "message_stop" },
    ]),
  ),
  whole("a whole message", {
    id: "msg_1",
    type: "message",
    content: [
      { type: "text", text: TEXT },
      { type: "tool_use", id: "toolu_1", name: TOOL, input: {} },
    ],
    stop_reason: "tool_use",
    usage: messagesUsage,
  }),
];

const chatUsage = { prompt_tokens: 84, completion_tokens: 42, prompt_tokens_details: { cached_tokens: 70 } };
const chunk = (choices: readonly object[], more: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  choices,
  ...more,
});
const delta = (value: object, finish: string | null = null) => [{ index: 0, delta: value, finish_reason: finish }];
const part = (name: string | undefined, given: string) => ({
  tool_calls: [{ index: 0, id: name === undefined ? undefined : "call_1", function: { name, arguments: given } }],
});
const chat: readonly ToldResponse[] = [
  streamed(
    "a stream of text and a call",
    unnamed(
      [
        chunk(delta({ role: "assistant", content: "" })),
        ...WORDS.map((content) => chunk(delta({ content }))),
        chunk(delta(part(TOOL, ""))),
        chunk(delta(part(undefined, ARGUMENTS.slice(0, 9)))),
        chunk(delta(part(undefined, ARGUMENTS.slice(9)))),
        chunk(delta({}, "tool_calls")),
        chunk([], { usage: chatUsage }),
      ],
      "data: [DONE]\n\n",
    ),
  ),
  whole("a whole completion", {
    id: "chatcmpl-1",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: TEXT,
          tool_calls: [{ id: "call_1", type: "function", function: { name: TOOL, arguments: ARGUMENTS } }],
        },
        finish_reason: "tool_calls",
      },
    ],
    usage: chatUsage,
  }),
];

const responsesUsage = { input_tokens: 84, output_tokens: 42, input_tokens_details: { cached_tokens: 70 } };
const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: TOOL, arguments: ARGUMENTS };
const completed = {
  id: "resp_1",
  status: "completed",
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: TEXT }] }, call],
  usage: responsesUsage,
};
const responses: readonly ToldResponse[] = [
  streamed(
    "a stream of text and a call",
    named([
      { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg_1", content: [] } },
      ...WORDS.map((text) => ({ type: "response.output_text.delta", output_index: 0, delta: text })),
      { type: "response.output_item.added", output_index: 1, item: { ...call, arguments: "" } },
      { type: "response.function_call_arguments.delta", output_index: 1, delta: ARGUMENTS },
      { type: "response.output_item.done", output_index: 1, item: call },
      { type: "response.completed", response: completed },
    ]),
  ),
  whole("a whole response", completed),
];

const piece = (parts: readonly object[], more: object = {}, usage: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
  responseId: "r1",
  usageMetadata: { promptTokenCount: 84, cachedContentTokenCount: 70, ...usage },
});
const pieces = [
  ...WORDS.map((text) => piece([{ text }])),
  piece([{ functionCall: { id: "call_1", name: TOOL, args: { path: "größe.ts" } }, thoughtSignature: "c2ln" }]),
  piece([{ text: "" }], { finishReason: "STOP" }, { candidatesTokenCount: 42 }),
];
const gemini: readonly ToldResponse[] = [
  streamed("a stream of text and a call", unnamed(pieces)),
  whole("a stream as a list", pieces),
  whole("a whole response", piece([{ text: TEXT }], { finishReason: "STOP" }, { candidatesTokenCount: 42 }), []),
];

/** Responses of each format, streamed and whole, with characters of several bytes in words and names. */
export const RESPONSES: Readonly<Record<WireName, readonly ToldResponse[]>> = {
  "anthropic-messages": messages,
  "openai-chat": chat,
  "openai-responses": responses,
  gemini,
};
