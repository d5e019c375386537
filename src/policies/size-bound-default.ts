import type { SizeBound } from "../model/view.ts";

/** The one pair of numbers for what is over-large, for results and for a single recall. */
export const SIZE_BOUND_DEFAULT: SizeBound = { lines: 16_384, bytes: 262_144 };
