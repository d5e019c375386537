import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, dataOf } from "../../../../test/support/simulated.ts";
import type { JsonObject, JsonValue } from "../../../model/json.ts";
import { type FakeProvider, startFakeProvider } from "../../../testing/fake-provider.ts";
import { isObject, objectsOf, stringOf } from "../json.ts";
import type { Scenario, ScriptStep } from "../scenario.ts";

const TEXT = "Reading 🌊 ".repeat(12);
const MODEL = "gemini-3.1-pro";
const STEPS: readonly ScriptStep[] = [
  {
    thinking: "I look first.",
    text: TEXT,
    tools: [
      { do: "read", path: "/a–🌊.txt" },
      { do: "bash", command: "ls" },
    ],
  },
  { thinking: "That is all.", text: "Done.", advanceMs: 7 },
];

let provider: FakeProvider;
const start = async (more: Partial<Scenario> = {}) => {
  const scenario = { scripts: [{ match: "", steps: STEPS }], ...more };
  provider = await startFakeProvider({ scenario, clock: () => 1_000_000 });
};
beforeEach(() => start());
afterEach(() => provider.close());

const declared = (name: string, ...properties: string[]) => ({
  name,
  parametersJsonSchema: { type: "object", properties: Object.fromEntries(properties.map((one) => [one, {}])) },
});
const user = (...parts: readonly JsonValue[]): JsonObject => ({ role: "user", parts });
const body = (fields: JsonObject = {}): JsonObject => ({
  systemInstruction: { parts: [{ text: "s".repeat(6_000) }] },
  tools: [{ functionDeclarations: [declared("read_file", "file_path"), declared("run_shell_command", "command")] }],
  contents: [user({ text: "go" })],
  ...fields,
});
const THOUGHTS = { generationConfig: { thinkingConfig: { includeThoughts: true } } };

function post(fields: JsonObject = {}, action = "generateContent", model = MODEL) {
  return ask(`${provider.url}/v1beta/models/${model}:${action}`, body(fields));
}
const partsIn = (response: JsonObject): readonly JsonObject[] => {
  return objectsOf(response.candidates).flatMap(({ content }) => (isObject(content) ? objectsOf(content.parts) : []));
};
const answers = (content: JsonObject): JsonObject => {
  const calls = objectsOf(content.parts).flatMap(({ functionCall }) => (isObject(functionCall) ? [functionCall] : []));
  return user(
    ...calls.map(({ id, name }) => ({
      functionResponse: { id: id ?? "", name: name ?? "", response: { output: "x" } },
    })),
  );
};

describe("an answer", () => {
  it("is a candidate with thoughts, text and calls, the first one signed", async () => {
    const { status, json } = await post(THOUGHTS);
    expect(status).toBe(200);
    expect(json).toMatchObject({ modelVersion: MODEL, responseId: expect.any(String) });
    expect(json.candidates).toEqual([
      {
        content: {
          role: "model",
          parts: [
            { text: "I look first.", thought: true },
            { text: TEXT },
            {
              functionCall: { id: expect.any(String), name: "read_file", args: { file_path: "/a–🌊.txt" } },
              thoughtSignature: expect.stringMatching(/^[A-Za-z0-9+/]+={0,2}$/),
            },
            { functionCall: { id: expect.any(String), name: "run_shell_command", args: { command: "ls" } } },
          ],
        },
        finishReason: "STOP",
        index: 0,
      },
    ]);
    const usage = json.usageMetadata;
    const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount, totalTokenCount } = usage;
    expect(promptTokenCount + candidatesTokenCount + thoughtsTokenCount).toBe(totalTokenCount);
    expect(usage).not.toHaveProperty("cachedContentTokenCount");
  });

  it("keeps its thoughts from a request that does not ask, and ids and signatures from older models", async () => {
    expect(partsIn((await post()).json).map(({ thought }) => thought)).toEqual([undefined, undefined, undefined]);
    const parts = partsIn((await post({}, "generateContent", "gemini-2.5-pro")).json);
    expect(parts.slice(1)).toEqual([
      { functionCall: { name: "read_file", args: { file_path: "/a–🌊.txt" } } },
      { functionCall: { name: "run_shell_command", args: { command: "ls" } } },
    ]);
  });

  it("follows from the request; its last text is signed, and the clock moves", async () => {
    const { content } = (await post()).json.candidates[0];
    const { status, json } = await post({ contents: [user({ text: "go" }), content, answers(content)] });
    expect(status).toBe(200);
    expect(partsIn(json)).toEqual([{ text: "Done.", thoughtSignature: expect.any(String) }]);
    expect(provider.nowMs()).toBe(1_000_007);
  });

  it("follows a schema that the request states", async () => {
    const responseSchema = {
      type: "OBJECT",
      properties: { next: { type: "STRING", enum: ["user"] }, n: { type: "NUMBER" } },
    };
    const { json } = await post({ generationConfig: { responseSchema } });
    expect(partsIn(json)).toEqual([{ text: '{"next":"user","n":1}' }]);
  });
});

describe("a stream", () => {
  it.each<[string, string, string, (text: string) => readonly JsonObject[]]>([
    ["server-sent events", "streamGenerateContent?alt=sse", "text/event-stream", dataOf],
    ["one JSON array", "streamGenerateContent", "application/json; charset=UTF-8", (text) => JSON.parse(text)],
  ])("as %s is the same answer in chunks", async (_name, action, type, read) => {
    const whole = (await post(THOUGHTS)).json;
    const { headers, text } = await post(THOUGHTS, action);
    expect(headers.get("content-type")).toBe(type);
    const chunks = read(text);
    expect(chunks.length).toBeGreaterThan(5);
    expect(chunks.map(({ candidates }) => objectsOf(candidates)[0]?.finishReason)).toEqual([
      ...chunks.slice(1).map(() => undefined),
      "STOP",
    ]);
    expect(joined(chunks.flatMap(partsIn))).toEqual(whole.candidates[0].content.parts);
    const { usageMetadata: usage } = chunks.at(-1) ?? {};
    expect(isObject(usage) && usage.promptTokenCount).toBe(whole.usageMetadata.promptTokenCount);
  });

  it("ends its events as the API does, and signs a text in a part of its own", async () => {
    const { content } = (await post()).json.candidates[0];
    const contents = [user({ text: "go" }), content, answers(content)];
    const { text } = await post({ contents }, "streamGenerateContent?alt=sse");
    expect(text.split("\r\n\r\n")).toHaveLength(3);
    expect(dataOf(text).flatMap(partsIn)).toEqual([
      { text: "Done." },
      { text: "", thoughtSignature: expect.any(String) },
    ]);
  });

  it("breaks where a fault says so, and errors come in the form that was asked for", async () => {
    provider.fault({ cutAfterEvents: 2 });
    await expect(post({}, "streamGenerateContent")).rejects.toThrow();
    const error = { code: 503, message: "Injected fault.", status: "UNAVAILABLE" };
    provider.fault({ status: 503, times: 3 });
    expect((await post({}, "streamGenerateContent")).json).toEqual([{ error }]);
    expect((await post({}, "streamGenerateContent?alt=sse")).json).toEqual({ error });
    expect((await post()).json).toEqual({ error });
  });
});

describe("the cache", () => {
  const usage = async (fields: JsonObject = {}, model = MODEL) =>
    (await post(fields, undefined, model)).json.usageMetadata;

  it("is read up to where a prompt differs, by each model for itself", async () => {
    await usage();
    const again = await usage();
    expect(again.cachedContentTokenCount).toBe(again.promptTokenCount);
    const more = await usage({ contents: [user({ text: "go on, then" })] });
    expect(more.cachedContentTokenCount).toBeLessThan(again.promptTokenCount);
    expect(more.cachedContentTokenCount).toBeGreaterThan(1_024);
    expect(await usage({}, "gemini-2.5-pro")).not.toHaveProperty("cachedContentTokenCount");
    expect(provider.requests()[1]?.usage?.cacheReadTokens).toBe(again.promptTokenCount);
  });

  it("is lost where a signature is another one", async () => {
    const { content } = (await post()).json.candidates[0];
    const contents = [user({ text: "go" }), content, answers(content)];
    await usage({ contents });
    const standin = { ...content, parts: content.parts.map((part: JsonObject) => withoutMember(part, "id")) };
    const other = await usage({ contents: [user({ text: "go" }), standin, answers(content)] });
    expect(other.cachedContentTokenCount).toBeLessThan(other.promptTokenCount);
  });
});

it("tokens are counted as the cache counts them, also of a request that is wrapped", async () => {
  const { promptTokenCount } = (await post()).json.usageMetadata;
  const counted = await post({}, "countTokens");
  expect(counted.json.totalTokens).toBe(promptTokenCount);
  const wrapped = { generateContentRequest: { model: `models/${MODEL}`, ...body() } };
  const other = await ask(`${provider.url}/v1beta/models/${MODEL}:countTokens`, wrapped);
  expect(other.json.totalTokens).toBe(promptTokenCount);
});

it("models are listed in each API's own form", async () => {
  const list = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(provider.url + path, { headers });
    return JSON.parse(await response.text());
  };
  expect((await list("/v1beta/models")).models[0].name).toMatch(/^models\/gemini-/);
  const openai = await list("/v1/models", { authorization: "Bearer none" });
  expect(openai).toMatchObject({
    object: "list",
    data: [{ object: "model" }, ...new Array(openai.data.length - 1).fill({})],
  });
  expect(await list("/v1/models", { authorization: "Bearer none", "anthropic-version": "1" })).toHaveProperty(
    "first_id",
  );
});

it("a key is not kept, in the address or in a header", async () => {
  await fetch(`${provider.url}/v1beta/models/${MODEL}:generateContent?key=secret&x=1`, {
    method: "POST",
    headers: { "x-goog-api-key": "secret" },
    body: JSON.stringify(body()),
  });
  expect(provider.requests()[0]).toMatchObject({
    url: `/v1beta/models/${MODEL}:generateContent?key=(not-kept)&x=1`,
    headers: { "x-goog-api-key": "(not kept)" },
  });
});

/** Parts of chunks put together again: neighbouring texts of one kind. */
function joined(parts: readonly JsonObject[]): readonly JsonObject[] {
  const whole: JsonObject[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    const isMore = typeof part.text === "string" && typeof last?.text === "string" && last.thought === part.thought;
    if (isMore) whole[whole.length - 1] = { ...last, text: stringOf(last.text) + part.text };
    else whole.push(part);
  }
  return whole;
}

function withoutMember(part: JsonObject, name: string): JsonObject {
  if (!isObject(part.functionCall)) return part;
  const call = Object.fromEntries(Object.entries(part.functionCall).filter(([member]) => member !== name));
  return { ...part, functionCall: call };
}
