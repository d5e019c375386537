import type { MediaFacts } from "../model/cache.ts";
import type { MediaItem } from "../model/item.ts";

/** Bytes that a token of text takes at most, in ordinary prose. */
const TEXT_BYTES_PER_TOKEN = 8;

/**
 * Tokens of an image or document by the provider's formula, rather too few than too many: what a replacement saves is never
 * more than was there. 0 where nothing is known.
 */
export function mediaTokensOf(item: MediaItem, facts: MediaFacts): number {
  const { dimensions, mediaType, bytes } = item;
  if (dimensions !== null) {
    const { width, height } = dimensions;
    const scale = Math.min(1, facts.edgePixelsMax / Math.max(width, height));
    const pixels = Math.min(facts.imagePixelsMax, width * height * scale * scale);
    return Math.max(1, Math.floor(pixels / facts.pixelsPerToken));
  }
  if (mediaType === "application/pdf") return facts.pageTokensMin;
  return mediaType.startsWith("text/") ? Math.floor(bytes / TEXT_BYTES_PER_TOKEN) : 0;
}
