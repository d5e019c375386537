import type { Acquisition, ChangeText, FileChange } from "./acquisition.ts";
import type { InlineRound } from "./aside.ts";
import type { ModelFacts } from "./cache.ts";
import type { Candidate, Decline, DeclineReason, Proposal } from "./decision.ts";
import type { Edit, Script } from "./edit.ts";
import type { CallItem, Digest, Item, ResultItem } from "./item.ts";
import type { ToolAnswer, ToolDefinition } from "./tool.ts";
import type { RequestHeader, Transcript } from "./transcript.ts";
import type { ResponseFacts } from "./usage.ts";
import type { View } from "./view.ts";

// ---- wire ----------------------------------------------------------------------------------------------------------

/** `generate` asks the model; `count` asks how many tokens the same body would be. */
export interface WireRoute {
  readonly kind: "generate" | "count";
  /** The model that the path names; null where the body states it. */
  readonly model: string | null;
}

/**
 * Remembers what a wire parsed, by digest of the raw bytes, so that a request costs in proportion to what is new in
 * it. The wire alone knows what the values are. Bounded by its owner; forgetting is always safe.
 */
export interface ReadMemo {
  get(digest: Digest): unknown;
  /** `heldBytes` is roughly the memory that the value keeps alive, where it is much. */
  set(digest: Digest, value: unknown, heldBytes?: number): void;
}

/** A body that was read. The look-ups decode on demand from the bytes it was read from. */
export interface WireSource {
  readonly transcript: Transcript;
  /** Client ids found in the body (not in headers); hints only. */
  readonly sessionId: string | null;
  /** Original text of a result, text, thinking or call item; "" for media. */
  textOf(item: Item): string;
  /** Original bytes: WTF-8 of the text, or the decoded media. */
  originalOf(item: Item): Uint8Array;
  /** True exactly where a `breakpoint` edit would be written. */
  canMark(item: Item): boolean;
  /** True where the provider drops thinking that does not fit: a `drop-thinking` edit would be written, or the client asks for it. */
  readonly takesDrop: boolean;
}

export type ReadOutcome =
  | { readonly ok: true; readonly source: WireSource }
  /** The body is not one Ebb may edit; `words` say what was expected and what came. It passes through unchanged. */
  | { readonly ok: false; readonly words: string };

/** Watches a copy of the response bytes. Never throws on malformed input; what it cannot read stays unknown. */
export interface ResponseWatcher {
  push(chunk: Uint8Array): void;
  finish(): ResponseFacts;
}

export interface HeaderHints {
  readonly sessionId: string | null;
  readonly agentId: string | null;
  readonly parentAgentId: string | null;
  /** The request goes out on a person's subscription, by its credentials. */
  readonly isSubscription: boolean;
}

/** A value that joins those of a request header. */
export interface RequestHeaderValue {
  readonly name: string;
  readonly value: string;
}

/** One API format. Pure; holds no state between calls. */
export interface Wire {
  readonly name: string;
  /** Edits that can be written in this format; nothing that needs another is planned. */
  readonly takes: ReadonlySet<Edit["kind"]>;
  /** Null when the request is none of this wire's. `path` is without query. */
  route(method: string, path: string): WireRoute | null;
  /** `route` is what `route()` learned of the request; left out or null: nothing. */
  read(body: Uint8Array, memo: ReadMemo, route?: WireRoute | null): ReadOutcome;
  /**
   * The body with the script's edits spliced in, as slices of the original bytes and new pieces between them. Edits
   * whose item is not in the body are skipped. No edits: the one original slice.
   */
  write(body: Uint8Array, source: WireSource, script: Script): readonly Uint8Array[];
  /** What the edits of a script need in the headers, beside what the client states there. */
  headersFor(script: Script): readonly RequestHeaderValue[];
  /** `isStreaming` by the response's content type, already decompressed bytes. */
  watch(isStreaming: boolean): ResponseWatcher;
  /** Session names in headers. `header` answers one header by lower-case name. */
  hintsOf(header: (name: string) => string | null): HeaderHints;
  /** A refusal in this API's own error shape, which clients of it retry. */
  errorBody(kind: "unavailable" | "invalid", words: string): Uint8Array;
  /** How tools of Ebb's own are offered and answered inside the stream; null where this format cannot. */
  readonly inline: InlineWire | null;
}

/** An aside at its place in a body. */
export interface PlacedAside {
  /** The message of the model that it belongs to. */
  readonly messageIndex: number;
  /** JSON of each call, in front of the block of this index as the client sent it; their count for the end of the message. */
  readonly calls: readonly { readonly blockIndex: number; readonly json: string }[];
  /**
   * The message is parted in front of this block, and the results stand between the parts as a message of their own. Null: the
   * results join those of the message that follows.
   */
  readonly partedAt: number | null;
  readonly results: readonly string[];
}

/** What is put into a body before anything else looks at it. */
export interface Insertions {
  /** JSON of tool definitions with commas between, put last among the tools; null for none. */
  readonly tools: string | null;
  /** In the order of their places. */
  readonly asides: readonly PlacedAside[];
}

/** A block of an echoed message by what tells it: the same as when it was streamed, whatever a client re-shapes. */
export interface BlockMark {
  readonly mark: string;
  readonly blockIndex: number;
}

/** The part of a wire by which Ebb's own tools are offered to the model and answered before the client sees the call. Pure. */
export interface InlineWire {
  /** JSON of the definitions with commas between; the same bytes for the same definitions. */
  toolsJson(definitions: readonly ToolDefinition[]): string;
  /** The body with the insertions in it, every other byte as it came; null where it has no place for them. */
  insert(body: Uint8Array, source: WireSource, insertions: Insertions): Uint8Array | null;
  /**
   * Marks of the blocks of a message of the model, in order. `expected` are lists of marks as they were streamed, of which one may be
   * the message's: a format whose clients join texts tells them apart by it.
   */
  marksOf(source: WireSource, messageIndex: number, expected?: readonly (readonly string[])[]): readonly BlockMark[];
  /** Digests of the thinking that the JSON of calls brings with it, where the format needs it beside them; left out: none. */
  thoughtsIn?(calls: readonly string[]): ReadonlySet<Digest>;
  /** JSON of the block that answers a call. */
  resultJson(callId: string, answer: ToolAnswer): string;
  /** The body with the model's message of a round and the results behind it, every other byte as it came. */
  append(body: Uint8Array, source: WireSource, blocks: readonly string[], results: readonly string[]): Uint8Array;
  /** Follows the response to one request of a client, over all its rounds. */
  follow(options: FollowOptions): InlineMachine;
}

export interface FollowOptions {
  /** Tools that are Ebb's to answer. */
  readonly toolNames: ReadonlySet<string>;
  readonly isStreaming: boolean;
  /** Rounds after which a call of Ebb's tools goes to the client like any other. */
  readonly roundsMax: number;
}

/** What happens to the response. */
export type InlineEvent =
  /** One event of a stream, with the very bytes it came in. */
  | { readonly kind: "event"; readonly raw: Uint8Array; readonly name: string; readonly data: string }
  /** A response without streaming, whole. */
  | { readonly kind: "whole"; readonly body: Uint8Array }
  /** The response of this round ended as HTTP wants it. */
  | { readonly kind: "ended" }
  /** The calls of the round were answered and recorded; of a `round` the next response begins. */
  | { readonly kind: "answered" }
  /** They could not be, or the next response is an error: its body. */
  | { readonly kind: "failed"; readonly error: Uint8Array };

/** What is to be done next, in order. */
export type InlineCommand =
  | { readonly kind: "send"; readonly bytes: Uint8Array }
  /** Nothing goes on until the calls were answered. */
  | { readonly kind: "answer"; readonly round: InlineRound }
  /** The response to the client is whole; marks of all blocks it saw. */
  | { readonly kind: "end"; readonly seen: readonly string[] }
  /** The response to the client ends here and is not whole. */
  | { readonly kind: "cut" };

/** A state of following a response, as a value: the same event gives the same next state and commands. */
export interface InlineMachine {
  step(event: InlineEvent): readonly [InlineMachine, readonly InlineCommand[]];
}

// ---- dialect -------------------------------------------------------------------------------------------------------

/** One simple command of a shell text. A word is null where it is not a literal (an expansion). */
export interface ShellCommand {
  readonly words: readonly (string | null)[];
  readonly redirects: readonly { readonly operator: string; readonly target: string | null }[];
  /** Directory set by a literal `cd` earlier in the same list; null when none was. */
  readonly directory: string | null;
}

/** Parses shell text. Null: not understood, so nothing is claimed of it. Here-document bodies are never commands. */
export interface ShellParser {
  parse(text: string): readonly ShellCommand[] | null;
}

/** One agent's tools: what its calls and results mean. Pure. */
export interface Dialect {
  readonly name: string;
  /** True when this request comes from the agent this dialect describes. */
  recognises(header: RequestHeader, userAgent: string | null): boolean;
  /** What one call and its result prove. `result` null: no result exists yet. */
  acquire(call: CallItem, result: ResultItem | null, text: string, shell: ShellParser | null): Acquisition;
  /** The change that a successful call states, given the text of its result; null where the call does not state all of it. */
  changeText(call: CallItem, text: string): ChangeText | null;
  /** True for a message that a person typed: not tool results only, not a reminder, not a synthetic continuation. */
  isGenuineUser(texts: readonly string[]): boolean;
  /** True when this first user message is the client's summary of an earlier history. */
  isFold(texts: readonly string[]): boolean;
  /** The working directory that system and environment texts state; null when none does. */
  workingDirectoryOf(texts: readonly string[]): string | null;
  /** File changes a harness text tells of. */
  noticesIn(text: string): readonly FileChange[];
  /** True when the offered tools can run a shell command, so that a marker may name one. */
  hasShell(toolNames: readonly string[]): boolean;
  /** True of an agent that reads files through its shell alone, so that a shell read is a read. */
  readonly readsThroughShell: boolean;
  /** True where every command begins in the session's directory, wherever another went; left out: it may keep the last one. */
  readonly resetsDirectory?: boolean;
}

// ---- provider ------------------------------------------------------------------------------------------------------

/** Endpoint and models as data. */
export interface Provider {
  readonly name: string;
  /** Origin requests go to when the user names none, without a trailing slash. */
  readonly originDefault: string;
  modelFacts(model: string | null): ModelFacts;
}

// ---- policy and gate -----------------------------------------------------------------------------------------------

export interface PolicyOpinion {
  readonly proposals: readonly Proposal[];
  readonly declines: readonly Decline[];
}

/** Proposes releases and says why it does not. Pure; never decides. */
export interface Policy {
  readonly name: string;
  propose(view: View): PolicyOpinion;
}

/** Refuses a candidate, or lets it pass. Pure. */
export interface Gate {
  readonly reason: DeclineReason;
  /** Words an operator can read, or null to let it pass. */
  refuse(candidate: Candidate, view: View): string | null;
}

// ---- small engines passed in ---------------------------------------------------------------------------------------

export interface TokenCounter {
  /** Estimated tokens of a text; an estimate, never the provider's figure. */
  count(text: string): number;
}

export type CompiledPattern =
  | {
      readonly ok: true;
      /** Most steps it takes for one character of a line. */
      readonly steps: number;
      test(line: string): boolean;
    }
  | { readonly ok: false; readonly words: string };

/** Regular expressions in linear time. */
export interface PatternEngine {
  compile(pattern: string, ignoreCase: boolean): CompiledPattern;
}
