import { describe, expect, it } from "vitest";
import type { MediaItem } from "../model/item.ts";
import { anthropicProvider } from "../providers/anthropic.ts";
import { mediaTokensOf } from "./media-tokens.ts";

const { media: facts } = anthropicProvider.modelFacts("claude-opus-4-5");

function tokens(changes: Partial<MediaItem>): number {
  const place = { key: "media:x:1", role: "user", messageIndex: 0, blockIndex: 0, digest: "x", lines: 0 } as const;
  const shape = { kind: "media", callId: null, carriedBytes: 9, isReplaceable: true } as const;
  return mediaTokensOf(
    { ...place, ...shape, mediaType: "image/png", dimensions: null, bytes: 8_000, ...changes },
    facts,
  );
}

describe("the tokens of an attachment", () => {
  it.each([
    [200, 200, 53],
    [1_000, 1_000, 1_333],
    [1_092, 1_092, 1_533],
    [1_568, 1_568, 1_533],
    [10_000, 10, 3],
    [4_000, 3_000, 1_533],
    [1, 1, 1],
  ])("of %d by %d pixels are %3$d", (width, height, count) => {
    expect(tokens({ dimensions: { width, height } })).toBe(count);
  });

  it("are rather too few than too many where its size is not known", () => {
    expect(tokens({})).toBe(0);
    expect(tokens({ mediaType: "application/pdf", bytes: 9_000_000 })).toBe(1_500);
    expect(tokens({ mediaType: "text/plain" })).toBe(1_000);
  });
});
