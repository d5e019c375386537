import type { ToolKind } from "./acquisition.ts";

/** A lifetime that items get without anyone declaring it. The first rule that fits an item counts. */
export interface LifetimeRule {
  /** Tools by name; null fits any. */
  readonly tools: readonly string[] | null;
  readonly kinds: readonly ToolKind[] | null;
  /** True for the paths the rule fits; null fits any, also items without one. */
  readonly fitsPath: ((path: string) => boolean) | null;
  /** Turns or steps after the one it was acquired in. */
  readonly turns: number | null;
  readonly steps: number | null;
}
