import { providers } from "../builtins.ts";
import { nearestName } from "../config/nearest-name.ts";
import type { ReplaySettings } from "../replay/lane.ts";
import { type OtherModel, underOtherModel } from "../replay/other-model.ts";
import { type CommandFlag, type GivenArguments, UsageError } from "./command.ts";

/** Providers with models on record. */
const PRICED_NAMES = Object.values(providers).flatMap(({ name, modelIds }) => (modelIds.length === 0 ? [] : [name]));

/** The flags that name a model to price a recording with. */
export const PRICED_MODEL_FLAGS: readonly CommandFlag[] = [
  {
    name: "provider",
    value: "name",
    description: `with --model: the provider of the model it is priced with, one of ${PRICED_NAMES.join(", ")} (default: anthropic)`,
  },
  {
    name: "model",
    value: "id",
    description: "price and cache the recorded requests as if this model had got them",
  },
];

type ProviderName = keyof typeof providers;

/** A model as it was named; null where nothing was. */
export interface NamedModel {
  readonly provider: string | null;
  readonly model: string | null;
}

/** The model that the flags name. */
export function namedModel(given: GivenArguments): NamedModel {
  return { provider: given.textOf("provider"), model: given.textOf("model") };
}

/** Turns settings into those of the model that is named; unchanged where none is. Throws `UsageError` for a model of no price. */
export function pricedAsNamed({ provider, model }: NamedModel): (settings: ReplaySettings) => ReplaySettings {
  const providerName = provider ?? "anthropic";
  if (!isProvider(providerName)) throw unknownName("--provider", providerName, PRICED_NAMES);
  if (model === null) {
    if (provider === null) return (settings) => settings;
    throw new UsageError(
      `--provider: expected --model beside it, one of ${providers[providerName].modelIds.join(", ")}`,
    );
  }
  const { isKnown, prices } = providers[providerName].modelFacts(model);
  if (!isKnown) throw unknownName("--model", model, providers[providerName].modelIds);
  if (prices.length === 0) throw new UsageError(`--model: no price is on record for ${model}`);
  return (settings) => underOtherModel(settings, otherModel(providerName, model));
}

function otherModel(provider: ProviderName, model: string): OtherModel {
  const facts = providers[provider].modelFacts(model);
  const allowsSystemMessages =
    provider === "anthropic" ? providers.anthropic.traitsOf(model).allowsSystemMessages : true;
  return { facts, allowsSystemMessages };
}

function isProvider(name: string): name is ProviderName {
  return PRICED_NAMES.includes(name) && Object.hasOwn(providers, name);
}

function unknownName(flag: string, name: string, known: readonly string[]): UsageError {
  const meant = nearestName(name, known);
  const question = meant === null ? "" : `, did you mean ${meant}?`;
  return new UsageError(`${flag}: expected one of ${known.join(", ")}, got ${JSON.stringify(name)}${question}`);
}
