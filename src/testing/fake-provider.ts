import { anthropicProvider } from "../providers/anthropic.ts";
import { geminiProvider } from "../providers/gemini.ts";
import { openaiProvider } from "../providers/openai.ts";
import { defaultScenario, type Scenario } from "../replay/simulated/scenario.ts";
import {
  type SimulatedProvider,
  type SimulatedProviderOptions,
  startSimulatedProvider,
} from "../replay/simulated/server.ts";

/** Options of a provider in a test; everything may be left out. */
export type FakeProviderOptions = Omit<SimulatedProviderOptions, "models" | "otherModels" | "scenario"> & {
  readonly scenario?: Scenario;
};

/** A provider that a test may throw away at the end of its block. */
export interface FakeProvider extends SimulatedProvider, AsyncDisposable {}

/**
 * Starts a simulated provider on a free port of 127.0.0.1: Anthropic Messages, OpenAI Chat Completions and Responses, and Gemini,
 * each at its own paths, with scripted answers, a prompt cache, pairing errors and signed thinking. Close it, or declare it with
 * `await using`.
 */
export async function startFakeProvider(options: FakeProviderOptions = {}): Promise<FakeProvider> {
  const { scenario, ...rest } = options;
  const provider = await startSimulatedProvider({
    ...rest,
    models: anthropicProvider,
    otherModels: { openai: openaiProvider, gemini: geminiProvider },
    scenario: scenario ?? defaultScenario,
  });
  return { ...provider, [Symbol.asyncDispose]: () => provider.close() };
}
