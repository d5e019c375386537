import type { ModelFacts } from "../model/cache.ts";
import type { Provider } from "../model/ports.ts";

/**
 * The provider that requests on record went to. A name that is not among those at hand stands for one of which nothing is known;
 * no name for the one there was before the ledger kept names.
 */
export function providerNamed(name: string | undefined, providers: readonly Provider[]): Pick<Provider, "modelFacts"> {
  const known = providers.find((one) => one.name === (name ?? UNNAMED));
  return known ?? { modelFacts: () => UNKNOWN_FACTS };
}

const UNNAMED = "anthropic";
const DAY_MS = 86_400_000;

/** The most cautious values: what may be cached is, thinking is bound, and nothing has a price. */
const UNKNOWN_FACTS: ModelFacts = {
  isKnown: false,
  thinkingBinding: "prefix",
  keepsThinking: true,
  cache: { kind: "units" },
  ttlDefaultMs: DAY_MS,
  cacheTokensMin: 0,
  prices: [],
  windowTokens: null,
  deletesInCache: false,
  media: {
    bodyBytesMax: 32 * 1024 * 1024,
    imagesMax: 100,
    pixelsPerToken: 750,
    edgePixelsMax: 1_568,
    imagePixelsMax: 1_150_000,
    pageTokensMin: 1_500,
  },
};
