import type { Provider } from "../model/ports.ts";
import type { Accounting } from "./accounting.ts";
import type { KeeperSettings } from "./settings.ts";

/** Counts a request whose model is not on record, and tells of each such model once. */
export function noteUnknownModel(
  model: string | null,
  provider: Pick<Provider, "modelFacts">,
  accounting: Accounting,
  { onError }: Pick<KeeperSettings, "onError">,
): void {
  if (provider.modelFacts(model).isKnown) return;
  const name = nameOf(model);
  if (accounting.noteUnknownModel(name)) onError("unknown_model", `${name} is not on record: ${CAUTION}`);
}

const CAUTION =
  "the most cautious facts count, so that less leaves, and nothing of it has a price; state its facts under models in ebb.yaml";
const NAME_CHARS_MAX = 100;

/** Clients name models as they like; whatever is no text for a terminal is left out. */
function nameOf(model: string | null): string {
  const name = (model ?? "").replace(/\p{C}/gu, "").trim().slice(0, NAME_CHARS_MAX);
  return name === "" ? "a model without a name" : name;
}
