import type { MediaFacts } from "../model/cache.ts";

/**
 * Limits and sizes of images and documents: the Anthropic API's for all models, and assumed of every other provider. Some models
 * take larger images, which then cost more. Source: that provider's vision and errors pages.
 */
export const MEDIA_FACTS: MediaFacts = {
  bodyBytesMax: 32 * 1024 * 1024,
  imagesMax: 100,
  pixelsPerToken: 750,
  edgePixelsMax: 1_568,
  imagePixelsMax: 1_150_000,
  pageTokensMin: 1_500,
};
