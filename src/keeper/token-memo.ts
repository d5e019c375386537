import { mediaTokensOf } from "../engine/media-tokens.ts";
import { type BoundedMap, createBoundedMap } from "../lib/bounded-map.ts";
import { cutAt } from "../lib/lines.ts";
import type { Digest, Item } from "../model/item.ts";
import type { Provider, TokenCounter, WireSource } from "../model/ports.ts";

/** Estimated tokens of items, each counted once by digest. */
export interface TokenMemo {
  tokensOf(item: Item, source: WireSource): number;
  /** True when the item has more than `count` tokens. */
  exceeds(item: Item, count: number, source: WireSource): boolean;
  /** Null when it was not counted yet. */
  known(digest: Digest): number | null;
  /** The same memo for requests to a provider: media cost what it says of their models. */
  under(provider: Pick<Provider, "modelFacts">): TokenMemo;
}

const DIGESTS_MAX = 100_000;
/** Longer texts are estimated from samples: counting is far slower than everything else a request costs. */
const EXACT_CHARS_MAX = 32_768;
const SAMPLE_CHARS = 8_192;

/** An empty memo over a counter; media cost what the provider says of the request's model. */
export function createTokenMemo(counter: TokenCounter, provider: Pick<Provider, "modelFacts">): TokenMemo {
  return memoOver(counter, provider, { counts: createBoundedMap(DIGESTS_MAX), seen: new WeakMap() });
}

interface Counts {
  readonly counts: BoundedMap<Digest, number>;
  /** By the item itself: those of a running conversation are the same ones in each request. */
  readonly seen: WeakMap<Item, number>;
}

function memoOver(counter: TokenCounter, provider: Pick<Provider, "modelFacts">, known: Counts): TokenMemo {
  const { counts, seen } = known;
  function tokensOf(item: Item, source: WireSource): number {
    if (item.kind === "media") {
      return mediaTokensOf(item, provider.modelFacts(source.transcript.header.model).media);
    }
    const before = seen.get(item);
    if (before !== undefined) return before;
    const tokens = counts.get(item.digest) ?? estimateTokens(source.textOf(item), counter);
    counts.set(item.digest, tokens);
    seen.set(item, tokens);
    return tokens;
  }

  return {
    tokensOf,
    exceeds(item, count, source) {
      if (item.bytes <= count) return false;
      const known = counts.get(item.digest);
      if (known !== undefined) return known > count;
      return hasMoreWordsThan(source.textOf(item), count) || tokensOf(item, source) > count;
    },
    known: (digest) => counts.get(digest) ?? null,
    under: (other) => memoOver(counter, other, known),
  };
}

/** Words end at white space and no token spans two of them, so a text has at least as many tokens as words. */
function hasMoreWordsThan(text: string, count: number): boolean {
  const word = /\s*\S+/y;
  let words = 0;
  while (words <= count && word.test(text)) words++;
  return words > count;
}

/** Exact by the counter up to 32,768 characters; beyond, three samples stand for the whole. */
export function estimateTokens(text: string, counter: TokenCounter): number {
  if (text.length <= EXACT_CHARS_MAX) return counter.count(text);
  const middle = Math.floor((text.length - SAMPLE_CHARS) / 2);
  const starts = [0, middle, text.length - SAMPLE_CHARS];
  let tokens = 0;
  let chars = 0;
  for (const start of starts) {
    const sample = cutAt(text.slice(start, start + SAMPLE_CHARS), SAMPLE_CHARS);
    tokens += counter.count(sample);
    chars += sample.length;
  }
  return Math.round((tokens / chars) * text.length);
}
