import type { ToolKind } from "./acquisition.ts";

/** A lifetime that what tools brought gets without anyone declaring it. The first rule that fits an item counts. */
export interface LifetimeRule {
  /** Tools by name; null fits any. */
  readonly tools: readonly string[] | null;
  readonly kinds: readonly ToolKind[] | null;
  /** True for the paths the rule fits; null fits any, also items without one. */
  readonly fitsPath: ((path: string) => boolean) | null;
  /** `image` or `document`: the rule fits only such media. Null fits results, and the media in them. */
  readonly media: "image" | "document" | null;
  /** Turns or steps after the one it was acquired in. */
  readonly turns: number | null;
  readonly steps: number | null;
}
