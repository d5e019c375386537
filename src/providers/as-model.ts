import type { Provider } from "../model/ports.ts";

/** The provider as if every request named that model. */
export function asModel(provider: Provider, model: string): Provider {
  return { ...provider, modelFacts: () => provider.modelFacts(model) };
}
