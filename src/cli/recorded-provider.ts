import { providerOfWire } from "../builtins.ts";
import type { Provider } from "../model/ports.ts";

/** Beginnings of models' names, and whose they are. */
const FAMILIES: readonly (readonly [names: RegExp, provider: string])[] = [
  [/^claude-/, "anthropic"],
  [/^(gpt-|codex-|o\d)/, "openai"],
  [/^gemini-/, "gemini"],
  [/^deepseek-/, "deepseek"],
];

/**
 * Whose model answered a recorded request. Agents that talk to many providers keep one form of log, which comes out as Anthropic
 * Messages: there the model tells; everywhere else the format does.
 */
export function recordedProvider(wire: string, model: string | null, providers: readonly Provider[]): Provider {
  const own = providerOfWire(wire, providers);
  if (wire !== "anthropic-messages" || model === null) return own;
  const name = FAMILIES.find(([names]) => names.test(model))?.[1];
  return providers.find((one) => one.name === name) ?? own;
}
