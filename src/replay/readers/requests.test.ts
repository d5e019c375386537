import { afterAll, expect, test } from "vitest";
import { outlines, recordingIn, recordingsFolder } from "../../../test/support/recordings.ts";

const folder = recordingsFolder();
afterAll(() => folder.remove());

const CHAT = {
  model: "gpt-5",
  messages: [
    { role: "system", content: "s" },
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c1", content: "A" },
  ],
};
const RESPONSES = {
  model: "gpt-5",
  instructions: "s",
  input: [
    { role: "user", content: "go" },
    { type: "function_call", call_id: "c1", name: "read", arguments: "{}" },
    { type: "function_call_output", call_id: "c1", output: "A" },
  ],
};
const GEMINI = {
  contents: [
    { role: "user", parts: [{ text: "go" }] },
    { role: "model", parts: [{ functionCall: { id: "c1", name: "read", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { id: "c1", name: "read", response: { output: "A" } } }] },
  ],
};
const MESSAGES = {
  model: "claude-sonnet-4-5",
  messages: [
    { role: "user", content: "go" },
    { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "A" }] },
  ],
};
const TALK = ["user: go", "assistant: read(c1)", "user: =c1 A"];

test.each([
  ["openai-chat", CHAT, ["system: s", ...TALK]],
  ["openai-responses", RESPONSES, TALK],
  ["gemini", GEMINI, TALK],
  ["anthropic-messages", MESSAGES, TALK],
])("a bare body of %s is one request with its very bytes", async (wire, body, talk) => {
  const text = JSON.stringify(body, null, 2);
  const { format, contexts } = await recordingIn(folder.write(`${wire}.json`, text));
  expect([format, contexts[0]?.wire, outlines(contexts[0])]).toEqual([wire, wire, [talk]]);
  expect(Buffer.from(contexts[0]?.requests[0]?.body ?? []).toString()).toBe(text);
});

test("requests of several formats in one file are conversations of their own", async () => {
  const lines = [CHAT, RESPONSES, MESSAGES, GEMINI];
  const { format, contexts } = await recordingIn(folder.lines("mixed", lines));
  expect([format, ...contexts.map(({ wire }) => wire)]).toEqual([
    "requests",
    "openai-chat",
    "openai-responses",
    "anthropic-messages",
    "gemini",
  ]);
  const list = await recordingIn(folder.write("list.json", JSON.stringify(lines)));
  expect(list.contexts.length).toBe(4);
});

const sse = (events: readonly object[]): string => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

test.each([
  [
    "openai-chat",
    CHAT,
    {
      id: "r1",
      model: "m",
      usage: { prompt_tokens: 10, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } },
    },
  ],
  [
    "openai-chat",
    CHAT,
    `${sse([
      { id: "r1", choices: [] },
      { id: "r1", usage: { prompt_tokens: 10, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } } },
    ])}data: [DONE]\n\n`,
  ],
  [
    "openai-responses",
    RESPONSES,
    { body: { id: "r1", usage: { input_tokens: 10, output_tokens: 3, input_tokens_details: { cached_tokens: 4 } } } },
  ],
  [
    "openai-responses",
    RESPONSES,
    sse([
      { type: "response.created", response: { id: "r1" } },
      { type: "response.output_item.done", id: "other", item: {} },
      {
        type: "response.completed",
        response: {
          id: "r1",
          usage: { input_tokens: 10, output_tokens: 3, input_tokens_details: { cached_tokens: 4 } },
        },
      },
    ]),
  ],
  [
    "gemini",
    GEMINI,
    [
      { responseId: "r1" },
      {
        responseId: "r1",
        usageMetadata: {
          promptTokenCount: 10,
          cachedContentTokenCount: 4,
          candidatesTokenCount: 2,
          thoughtsTokenCount: 1,
        },
      },
    ],
  ],
  [
    "anthropic-messages",
    MESSAGES,
    sse([
      {
        type: "message_start",
        message: { id: "r1", usage: { input_tokens: 6, cache_read_input_tokens: 4, output_tokens: 1 } },
      },
      { type: "message_delta", usage: { output_tokens: 3 } },
    ]),
  ],
])("the answer to a request of %s tells its id and what it used", async (_wire, request, response) => {
  const { contexts } = await recordingIn(
    folder.lines("exchange", [{ request, response, timestamp: "2026-01-01T00:00:00Z" }]),
  );
  const [only] = contexts[0]?.requests ?? [];
  expect([only?.messageId, only?.atMs]).toEqual(["r1", 1_767_225_600_000]);
  expect(only?.usage).toEqual({ inputTokens: 6, cacheReadTokens: 4, cacheWriteTokens: 0, outputTokens: 3 });
});

test("where a body could be two formats, the path it was sent to decides, and names Gemini's model", async () => {
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });
  const sent = (url: string, bodyRaw: string) => ({ method: "POST", url, headers: [], bodyRaw });
  const file = folder.lines("paths", [
    sent("/v1/chat/completions", body),
    sent("/v1/messages?beta=true", body),
    sent("/v1beta/models/gemini-3-pro:generateContent", JSON.stringify(GEMINI)),
  ]);
  const { contexts } = await recordingIn(file);
  expect(contexts.map(({ wire, requests }) => [wire, requests[0]?.model])).toEqual([
    ["openai-chat", "m"],
    ["anthropic-messages", "m"],
    ["gemini", "gemini-3-pro"],
  ]);
});

test("lines that are no request are told by number; in the proxy's own recordings counts and refusals are passed over", async () => {
  const mixed = await recordingIn(folder.lines("odd", [CHAT, { hello: 1 }, CHAT]));
  expect(mixed.problems).toEqual([{ line: 2, words: "not a request of an API format known here" }]);
  const record = (path: string, status: number) => ({
    v: 1,
    at: "2026-01-01T00:00:00Z",
    path,
    wire: "anthropic-messages",
    upstream: "anthropic",
    session: "s1",
    request: JSON.stringify(MESSAGES),
    sent: null,
    status,
    response: "",
  });
  const own = await recordingIn(
    folder.lines("own", [
      record("/v1/messages/count_tokens", 200),
      record("/v1/messages", 529),
      record("/v1/messages", 200),
    ]),
  );
  expect([
    own.format,
    own.problems,
    own.contexts.map(({ requests, sessionId }) => [requests.length, sessionId]),
  ]).toEqual(["ebb-recording", [], [[1, "s1"]]]);
});
