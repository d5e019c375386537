import type { LoadSdk, SdkName } from "./install.ts";
import type { Talk } from "./talks.ts";
import { callTool, TOOLS } from "./tools.ts";

type Json = Record<string, unknown>;

interface AiSdk {
  generateText(options: Json): Promise<AiResult>;
  streamText(options: Json): AiStream;
  stepCountIs(count: number): unknown;
  jsonSchema(schema: unknown): unknown;
  tool(definition: Json): unknown;
}

interface AiStep {
  readonly toolCalls: readonly { readonly toolName: string }[];
  readonly usage: { readonly inputTokens?: number };
}

interface AiResult {
  readonly text: string;
  readonly steps: readonly AiStep[];
  readonly response: { readonly messages: readonly unknown[] };
}

interface AiStream {
  readonly text: Promise<string>;
  readonly steps: Promise<readonly AiStep[]>;
  readonly response: Promise<AiResult["response"]>;
}

/** A model of one of the AI SDK's providers, by the address of the proxy. */
export type AiModel = (load: LoadSdk, url: string) => unknown;

/** The AI SDK's own loop with tools. */
export function aiSdk(modelOf: AiModel, isStreaming: boolean): Talk {
  return async (load, { url, files, prompts }) => {
    const sdk = load("ai") as AiSdk;
    const tools = Object.fromEntries(
      TOOLS.map(({ name, description, parameters }) => {
        const execute = async (input: Json) => callTool(files, name, input);
        return [name, sdk.tool({ description, inputSchema: sdk.jsonSchema(parameters), execute })];
      }),
    );
    const messages: unknown[] = [];
    const answers: string[] = [];
    const steps: AiStep[] = [];
    for (const prompt of prompts) {
      messages.push({ role: "user", content: prompt });
      const options = {
        model: modelOf(load, url),
        system: "You edit files.",
        messages,
        tools,
        stopWhen: sdk.stepCountIs(12),
        maxRetries: 0,
      };
      const told = isStreaming ? await awaited(sdk.streamText(options)) : await sdk.generateText(options);
      answers.push(told.text);
      steps.push(...told.steps);
      messages.push(...told.response.messages);
    }
    const calls = steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName));
    return { answers, calls, promptTokens: steps.at(-1)?.usage.inputTokens ?? 0 };
  };
}

async function awaited({ text, steps, response }: AiStream): Promise<AiResult> {
  const [words, all, last] = await Promise.all([text, steps, response]);
  return { text: words, steps: all, response: last };
}

/** OpenAI through Responses, what the AI SDK takes where nobody says otherwise. */
export const aiSdkResponses: AiModel = (load, url) =>
  factory(load, "@ai-sdk/openai", "createOpenAI")({ baseURL: `${url}/v1`, apiKey: "not-a-key" })("gpt-5.4");

/** A third party that is compatible with Chat Completions. */
export const aiSdkCompatible: AiModel = (load, url) =>
  factory(
    load,
    "@ai-sdk/openai-compatible",
    "createOpenAICompatible",
  )({
    name: "local",
    baseURL: `${url}/v1`,
    apiKey: "not-a-key",
    includeUsage: true,
  })("gpt-5.4");

/** Gemini. */
export const aiSdkGemini: AiModel = (load, url) =>
  factory(load, "@ai-sdk/google", "createGoogleGenerativeAI")({ baseURL: `${url}/v1beta`, apiKey: "not-a-key" })(
    "gemini-3.1-pro",
  );

type Factory = (options: Json) => (model: string) => unknown;

function factory(load: LoadSdk, sdk: SdkName, name: string): Factory {
  const exported = load(sdk) as Record<string, Factory | undefined>;
  const found = exported[name];
  if (found === undefined) throw new Error(`${sdk} exports no ${name}`);
  return found;
}
