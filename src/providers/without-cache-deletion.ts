import type { Provider } from "../model/ports.ts";

/** The provider where no request can ask it to delete from its own cache, whatever is stated of its models. */
export function withoutCacheDeletion<P extends Provider>(provider: P): P {
  return {
    ...provider,
    modelFacts: (model: string | null) => ({ ...provider.modelFacts(model), deletesInCache: false }),
  };
}
