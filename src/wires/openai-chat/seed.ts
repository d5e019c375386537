import type { Digest, Role } from "../../model/item.ts";
import type { EntrySeed } from "../shared/seed.ts";

/** One message, read; remembered with the body it stands in. */
export interface ChatSeed extends EntrySeed {
  readonly kind: "openai-chat-message";
  /** Null where the message states none that is known: nobody can tell whose it is. */
  readonly role: Role | null;
  /** Of a system or developer message, which is part of the head where only others of its kind stand before it. */
  readonly instruction: Instruction | null;
  /** Count of seeds up to and including each part with a cache breakpoint. */
  readonly breakpoints: readonly number[];
  readonly isResult: boolean;
  /** A call or result in it has no id, so that what stands before it must tell which belong together. */
  readonly hasUnnamed: boolean;
  /** Name of the function whose result it is, where it states one. */
  readonly functionName: string | null;
}

/** What a system or developer message states. */
export interface Instruction {
  readonly texts: readonly string[];
  /** The same for one text as a string and as a part. */
  readonly digest: Digest;
}

/** Of every seed of this wire. */
export const MESSAGE_KIND = "openai-chat-message";
