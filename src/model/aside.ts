import type { Digest } from "./item.ts";
import type { JsonValue } from "./json.ts";

/**
 * Calls of Ebb's own tools inside one message of the model, and their answers. The client saw neither; on every later request
 * that holds the message they stand again, byte for byte.
 */
export interface Aside {
  /** Hash of the chain of what the client sends in front of the message: who goes back to that place meets it, and nobody else. */
  readonly anchor: string;
  /** The request that asked for the message. Its asides belong together; a request that asks again makes others. */
  readonly attempt: string;
  readonly place: AsidePlace;
  /** Marks of the blocks that the client saw of the message up to the end of this round, over all its rounds. */
  readonly seen: readonly string[];
  /** How many of them it saw before this round began. */
  readonly seenStart: number;
  /** Each call in its place: behind so many of the blocks that were seen. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly seenBefore: number }[];
  /** The original that holds what is put in: `AsideBlocks` as JSON. */
  readonly digest: Digest;
}

/**
 * `round`: nothing but Ebb's tools was called, so the answers are a message of their own and what the client saw next is the
 * model's next message. `beside`: the client's own tools were called as well, and the answers stand with the results of those.
 */
export type AsidePlace = "round" | "beside";

/** JSON of the blocks of an aside, in order: the calls, and what answers them. */
export interface AsideBlocks {
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

/** One round's message of the model, with calls of Ebb's own tools in it. */
export interface InlineRound {
  readonly place: AsidePlace;
  /** JSON of every block of the message as the provider sent it, in order. */
  readonly blocks: readonly string[];
  /** In order; `input` null where the arguments are no valid JSON. */
  readonly calls: readonly {
    readonly blockIndex: number;
    readonly id: string;
    readonly name: string;
    readonly input: JsonValue;
    /** Blocks that the client saw in front of it, over all rounds. */
    readonly seenBefore: number;
  }[];
  /** Marks of all blocks that the client saw so far, over all rounds. */
  readonly seen: readonly string[];
  readonly seenStart: number;
}
