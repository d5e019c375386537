import type { Decision } from "./decision.ts";
import type { ItemKey } from "./item.ts";

/** What the provider is asked to clear by itself, on the request that asked first and on every later one. */
export interface ServerClearing {
  /** Results that are to leave, oldest first, as they are recorded once they left. */
  readonly leaving: readonly Decision[];
  readonly triggerTokens: number;
  /** Clears nothing where it would clear less than this; null: any amount. */
  readonly clearTokensMin: number | null;
  /** Tools whose results stay. */
  readonly exceptTools: readonly string[];
}

/** Why the provider is asked for something else than before. */
export type ClearReason =
  /** A moment allows it. */
  | "planned"
  /** A new history takes over what still stands in it. */
  | "inherited"
  /** The client asks the provider for its own clearing. */
  | "client"
  /** The request holds nothing of it that can be told by counting tool uses. */
  | "out of place"
  /** The provider refused the request that asked. */
  | "refused"
  /** It cleared nothing, or more than it was asked to. */
  | "not applied"
  /** It does not tell what it cleared. */
  | "not told";

/** A text of Ebb's own in a user message, as it went out first. */
export interface PinnedNote {
  /** The item behind which it stands. */
  readonly anchorKey: ItemKey;
  readonly text: string;
  /** What it tells of. */
  readonly itemKeys: readonly ItemKey[];
}

/** What a response told of the provider's own clearing. */
export interface ServerCleared {
  /** Tool uses whose results it cleared. */
  readonly uses: number;
  readonly tokens: number;
}
