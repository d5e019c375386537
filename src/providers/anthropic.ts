import { readModelId } from "./anthropic-model-id.ts";
import { ANTHROPIC_ASSUMED, ANTHROPIC_MODELS } from "./anthropic-models.ts";
import { FORGETTING_MODELS, SYSTEM_MESSAGE_MODELS } from "./anthropic-traits.ts";
import { type ModelRow, providerOf, type TableProvider } from "./model-table.ts";

/** What a model does with history beyond `ModelFacts`; needed to imitate it, not to use it. */
export interface AnthropicTraits {
  /** Takes messages of role `system` inside `messages`. */
  readonly allowsSystemMessages: boolean;
  /** Keeps the thinking of earlier turns when the user speaks again. */
  readonly keepsThinking: boolean;
}

/** The Anthropic API as data. */
export interface AnthropicProvider extends TableProvider {
  traitsOf(model: string | null): AnthropicTraits;
}

const ROWS: Readonly<Record<string, ModelRow>> = Object.fromEntries(
  Object.entries(ANTHROPIC_MODELS).map(([key, { id, facts }]) => {
    return [key, { id, facts: { ...facts, keepsThinking: !FORGETTING_MODELS.has(key) } }];
  }),
);

/** Endpoint and models of the Anthropic API, newest first within a family, also under the ids of its resellers. */
export const anthropicProvider: AnthropicProvider = {
  ...providerOf({
    name: "anthropic",
    originDefault: "https://api.anthropic.com",
    rows: ROWS,
    keyOf,
    assumed: ANTHROPIC_ASSUMED,
    sources: [
      "Cache rules, minimum lengths, prices, the length tier of Haiku 5.5 and the limits: the provider's documentation.",
      "Thinking: the provider's documentation names the models that check what stands before a block; `none` are those that it says do not. Models of which only later pages say so, and the Mythos preview, count as checking.",
      "Assumed: the minimum of Haiku 5.5 and of the models 5.2 (the shortest of any), the window of models before generation 5 (the shorter one where there were two).",
      "Reported by third parties only: the day on which the read price of Sonnet 5.5 fell, and the price before it. They price recordings made before that day, and nothing else.",
      "Deleting inside the cached prefix is not documented; it is only on where `models` says so.",
    ],
  }),
  traitsOf,
};

function traitsOf(model: string | null): AnthropicTraits {
  const key = model === null ? null : keyOf(model);
  if (key === null || ANTHROPIC_MODELS[key] === undefined) return { allowsSystemMessages: true, keepsThinking: true };
  return { allowsSystemMessages: SYSTEM_MESSAGE_MODELS.has(key), keepsThinking: !FORGETTING_MODELS.has(key) };
}

function keyOf(id: string): string | null {
  const name = readModelId(id);
  return name === null ? null : `${name.family} ${name.version}`;
}
