import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import { isObject, objectsOf, stringOf } from "../../../src/replay/simulated/json.ts";
import type { PiApi } from "../../support/agents.ts";

/** Where a conversation stands in a body, and what a tool's result is there. */
interface Layout {
  readonly member: string;
  /** The text of a result that this value is; null where it is none. */
  readonly textOf: (value: JsonObject) => string | null;
  /** The same value with another text as its result. */
  readonly withText: (value: JsonObject, text: string) => JsonObject;
}

const LAYOUTS: Readonly<Record<PiApi, Layout>> = {
  "anthropic-messages": {
    member: "messages",
    textOf: (value) => (value.type === "tool_result" ? contentText(value.content) : null),
    withText: (value, text) => ({ ...value, content: text }),
  },
  "openai-completions": {
    member: "messages",
    textOf: (value) => (value.role === "tool" ? contentText(value.content) : null),
    withText: (value, text) => ({ ...value, content: text }),
  },
  "openai-responses": {
    member: "input",
    textOf: (value) => (value.type === "function_call_output" ? contentText(value.output) : null),
    withText: (value, text) => ({ ...value, output: text }),
  },
  "google-generative-ai": {
    member: "contents",
    textOf: (value) => (isObject(value.functionResponse) ? responseText(value.functionResponse) : null),
    withText: (value, text) => ({ functionResponse: { ...responseOf(value), response: { output: text } } }),
  },
};

const MARKER = /^\[ebb ([0-9a-z]{12})\]/;

/** Texts of tool results in a body of this API, in order. */
export function resultTexts(api: PiApi, body: string): readonly string[] {
  const texts: string[] = [];
  mapResults(api, JSON.parse(body), (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

/** A body with other texts as its tool results, in order, as a value to compare. */
export function withResultTexts(api: PiApi, body: string, texts: readonly string[]): JsonValue {
  let index = -1;
  return mapResults(api, JSON.parse(body), (text) => {
    index += 1;
    return texts[index] ?? text;
  });
}

/** The elements of the conversation in a body of this API, without what is the client's to move or to leave out: no part of a prompt. */
export function conversationIn(api: PiApi, body: string): readonly JsonObject[] {
  const text = body.replace(/,"(?:cache_control":\{"type":"ephemeral"\}|logprobs":\[\])/g, "");
  return objectsOf(JSON.parse(text)[LAYOUTS[api].member]);
}

/** The address in a marker; null for any other text. */
export function markerAddress(text: string): string | null {
  return MARKER.exec(text)?.[1] ?? null;
}

function mapResults(api: PiApi, value: JsonValue, change: (text: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((one: JsonValue) => mapResults(api, one, change));
  if (!isObject(value)) return value;
  const { textOf, withText } = LAYOUTS[api];
  const text = textOf(value);
  if (text !== null) return withText(value, change(text));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapResults(api, member, change)]));
}

function contentText(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  return objectsOf(content)
    .map(({ text }) => stringOf(text))
    .join("");
}

function responseOf({ functionResponse }: JsonObject): JsonObject {
  return isObject(functionResponse) ? functionResponse : {};
}

function responseText({ response }: JsonObject): string {
  return isObject(response) ? stringOf(response.output) : "";
}
