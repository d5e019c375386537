import type { Role } from "../../model/item.ts";
import type { EntrySeed } from "../shared/seed.ts";

/** One content of a conversation, read; remembered with the body it stands in. */
export interface ContentSeed extends EntrySeed {
  readonly kind: "gemini-content";
  readonly role: Role;
  /** By seed: the function that a call or a response names where it carries no id of its own; null for every other. */
  readonly unbound: readonly (string | null)[];
}
