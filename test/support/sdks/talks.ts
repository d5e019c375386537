import type { LoadSdk } from "./install.ts";
import { callTool, type Files, TOOLS } from "./tools.ts";

/** Whom an SDK talks to, and what about. */
export interface TalkPlace {
  /** Address of the provider or the proxy, without a version. */
  readonly url: string;
  readonly files: Files;
  readonly prompts: readonly string[];
}

/** What came of a conversation: the last words of each turn, and the calls that the SDK's user saw. */
export interface Talked {
  readonly answers: readonly string[];
  readonly calls: readonly string[];
  /** Prompt tokens of the last answer, as the SDK tells them. */
  readonly promptTokens: number;
}

export type Talk = (load: LoadSdk, place: TalkPlace) => Promise<Talked>;

type Json = Record<string, unknown>;

const MODEL = "gpt-5.4";
const GEMINI_MODEL = "gemini-3.1-pro";
const ROUNDS_MAX = 12;

interface OpenAiClient {
  readonly chat: { readonly completions: { create(body: Json): Promise<Json>; stream(body: Json): ChatStream } };
  readonly responses: { create(body: Json): Promise<Json>; stream(body: Json): ResponseStream };
}

interface ChatStream {
  finalChatCompletion(): Promise<Json>;
}

interface ResponseStream {
  finalResponse(): Promise<Json>;
}

interface ChatMessage {
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[];
}

interface OutputItem {
  readonly type: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
}

/** The OpenAI SDK over Chat Completions. */
export function openAiChat(isStreaming: boolean): Talk {
  return async (load, { url, files, prompts }) => {
    const { completions } = openAi(load, url).chat;
    const tools = TOOLS.map((tool) => ({ type: "function", function: tool }));
    const messages: unknown[] = [{ role: "system", content: "You edit files." }];
    return converse(prompts, files, {
      say: (text) => messages.push({ role: "user", content: text }),
      async ask() {
        const body = { model: MODEL, messages, tools };
        const usage = isStreaming ? { stream_options: { include_usage: true } } : {};
        const told = isStreaming
          ? await completions.stream({ ...body, ...usage }).finalChatCompletion()
          : await completions.create(body);
        const [choice] = told.choices as readonly { readonly message: ChatMessage }[];
        if (choice === undefined) throw new Error("no choice");
        messages.push(choice.message);
        return {
          text: choice.message.content ?? "",
          promptTokens: Number((told.usage as Json).prompt_tokens),
          calls: (choice.message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
            name,
            input: JSON.parse(input),
            answer: (content) => messages.push({ role: "tool", tool_call_id: id, content }),
          })),
        };
      },
    });
  };
}

/** The OpenAI SDK over Responses, with the whole history in every request. */
export function openAiResponses(isStreaming: boolean): Talk {
  return async (load, { url, files, prompts }) => {
    const { responses } = openAi(load, url);
    const tools = TOOLS.map((tool) => ({ type: "function", strict: false, ...tool }));
    const input: unknown[] = [];
    return converse(prompts, files, {
      say: (text) => input.push({ role: "user", content: text }),
      async ask() {
        const body = { model: MODEL, instructions: "You edit files.", input, tools, store: false };
        const told = isStreaming ? await responses.stream(body).finalResponse() : await responses.create(body);
        const output = told.output as readonly OutputItem[];
        input.push(...output);
        return {
          text: String(told.output_text ?? ""),
          promptTokens: Number((told.usage as Json).input_tokens),
          calls: output
            .filter(({ type }) => type === "function_call")
            .map(({ call_id, name = "", arguments: text = "{}" }) => ({
              name,
              input: JSON.parse(text),
              answer: (content) => input.push({ type: "function_call_output", call_id, output: content }),
            })),
        };
      },
    });
  };
}

interface GeminiPart {
  readonly text?: string;
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args: Json };
}

interface GeminiChunk {
  readonly candidates?: readonly { readonly content?: { readonly parts?: readonly GeminiPart[] } }[];
  readonly usageMetadata?: { readonly promptTokenCount?: number };
}

/** The Gemini SDK. */
export function gemini(isStreaming: boolean): Talk {
  return async (load, { url, files, prompts }) => {
    const { GoogleGenAI } = load("@google/genai") as {
      GoogleGenAI: new (options: Json) => { readonly models: GeminiModels };
    };
    const { models } = new GoogleGenAI({ apiKey: "not-a-key", httpOptions: { baseUrl: url } });
    const declarations = TOOLS.map(({ parameters, ...tool }) => ({ ...tool, parametersJsonSchema: parameters }));
    const config = { systemInstruction: "You edit files.", tools: [{ functionDeclarations: declarations }] };
    const contents: unknown[] = [];
    return converse(prompts, files, {
      say: (text) => contents.push({ role: "user", parts: [{ text }] }),
      async ask() {
        const request = { model: GEMINI_MODEL, contents, config };
        const chunks = isStreaming
          ? await all(await models.generateContentStream(request))
          : [await models.generateContent(request)];
        const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
        contents.push({ role: "model", parts });
        const answers: unknown[] = [];
        const calls = parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]));
        return {
          text: parts.map(({ text = "" }) => text).join(""),
          promptTokens: chunks.at(-1)?.usageMetadata?.promptTokenCount ?? 0,
          calls: calls.map(({ id, name, args }) => ({
            name,
            input: args,
            answer: (output) => {
              answers.push({ functionResponse: { ...(id === undefined ? {} : { id }), name, response: { output } } });
              if (answers.length === calls.length) contents.push({ role: "user", parts: answers });
            },
          })),
        };
      },
    });
  };
}

interface GeminiModels {
  generateContent(request: Json): Promise<GeminiChunk>;
  generateContentStream(request: Json): Promise<AsyncIterable<GeminiChunk>>;
}

async function all<T>(chunks: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const chunk of chunks) found.push(chunk);
  return found;
}

function openAi(load: LoadSdk, url: string): OpenAiClient {
  const { OpenAI } = load("openai") as { OpenAI: new (options: Json) => OpenAiClient };
  return new OpenAI({ apiKey: "not-a-key", baseURL: `${url}/v1`, maxRetries: 0 });
}

interface Asking {
  say(text: string): unknown;
  ask(): Promise<{
    readonly text: string;
    readonly promptTokens: number;
    readonly calls: readonly { readonly name: string; readonly input: Json; answer(content: string): unknown }[];
  }>;
}

/** The loop that an agent on a bare SDK runs. */
async function converse(prompts: readonly string[], files: Files, { say, ask }: Asking): Promise<Talked> {
  const answers: string[] = [];
  const calls: string[] = [];
  let promptTokens = 0;
  for (const prompt of prompts) {
    say(prompt);
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const told = await ask();
      promptTokens = told.promptTokens;
      for (const call of told.calls) {
        calls.push(call.name);
        call.answer(callTool(files, call.name, call.input));
      }
      if (told.calls.length > 0) continue;
      answers.push(told.text);
      break;
    }
  }
  return { answers, calls, promptTokens };
}
