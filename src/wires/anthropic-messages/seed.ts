import type { Digest, Role } from "../../model/item.ts";
import type { Breakpoint } from "../../model/transcript.ts";
import type { EntrySeed } from "../shared/seed.ts";
import type { Layout } from "./layout.ts";

/** One message, read; remembered with the body it stands in. */
export interface MessageSeed extends EntrySeed {
  readonly kind: "anthropic-message";
  /** Null where the message states none that is known: nobody can tell whose it is. */
  readonly role: Role | null;
  /** By the seeds up to and including their block. */
  readonly breakpoints: readonly Breakpoint[];
  /** Seeds up to and including the last block on which the provider may place a breakpoint by itself; 0 without one. */
  readonly carrierCount: number;
  /** Null where the message takes no blocks of others. */
  readonly layout: Layout | null;
}

/** Tools or a system prompt, read; remembered by the digest of the raw bytes. */
export interface PartSeed {
  readonly kind: "anthropic-tools" | "anthropic-system";
  /** Tool names, or the system prompt's texts. */
  readonly texts: readonly string[];
  /** SHA-256 of what the provider's cache depends on. */
  readonly digest: Digest;
  readonly breakpoints: number;
  readonly cacheTtlMs: number | null;
}
