import type { Digest, Role } from "../../model/item.ts";
import type { Breakpoint } from "../../model/transcript.ts";
import type { EntrySeed } from "../shared/seed.ts";

/** One element of `input`, read; remembered with the body it stands in. */
export interface ResponsesSeed extends EntrySeed {
  readonly kind: "openai-responses-entry";
  /** What the model said in a row is one message. */
  readonly speaker: Role;
  /** Null for all but what a system or developer says. */
  readonly opening: Opening | null;
  /** By the seeds up to and including their part. */
  readonly breakpoints: readonly Breakpoint[];
}

/** What a system or developer says, as a part of the request's header where nothing else stands before it. */
export interface Opening {
  readonly texts: readonly string[];
  /** SHA-256 of what the provider's cache depends on. */
  readonly digest: Digest;
}
