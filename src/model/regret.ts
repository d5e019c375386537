import type { Address, Digest, ItemKey } from "./item.ts";

/**
 * How a release was missed. `strict`: what left was obtained again and had not changed. `use`: a line of it was quoted that stood
 * nowhere else in what was sent. `induced`: its path was read again soon, or an edit replaced text that stood only in it.
 */
export type RegretKind = "strict" | "use" | "induced";

/** A release that was missed later, as recorded; each released item at most once for each kind. */
export interface Regret {
  /** The released item. */
  readonly itemKey: ItemKey;
  readonly address: Address;
  readonly originalDigest: Digest;
  /** The file it came from, absolute where the working directory is known; null without one, and once the user's words were removed. */
  readonly path: string | null;
  readonly kind: RegretKind;
  /** Step that showed it. */
  readonly step: number;
  /** False where what had left was out of date already and its file was only read anew: no release caused that. */
  readonly isFault: boolean;
}
