import type { Role } from "../model/item.ts";
import type { Usage } from "../model/usage.ts";

/** `all`: a context from its first line to its last, across client compactions. `live`: what follows the last one. */
export type Scope = "all" | "live";

/** `main` is the person's own thread; a `sidechain` lies in the same file, an `agent` names itself on its lines. */
export type ContextKind = "main" | "sidechain" | "agent";

/** What kind of file it was: an agent's own log, a corpus, or requests as they were sent. */
export type RecordingFormat =
  | "claude-code"
  | "cline"
  | "codex"
  | "copilot-cli"
  | "gemini-cli"
  | "mini-swe-agent"
  | "opencode"
  | "openhands"
  | "pi"
  | "swe-agent"
  | "read-lifecycle-corpus"
  | "ebb-recording"
  | RecordedWire
  /** Requests of several API formats. */
  | "requests";

/** API formats that recorded requests come in, by the name of the wire that reads them. */
export type RecordedWire = "anthropic-messages" | "openai-chat" | "openai-responses" | "gemini";

/** Something in a file that could not be used, by its line (1-based; 0 for the file as a whole). */
export interface RecordedProblem {
  readonly line: number;
  readonly words: string;
}

/**
 * One content block of a request. The same object stands in every request of its context that sends it, so that it
 * can be counted once; a result that the client later cleared is another object with the same `callId`.
 */
export interface RecordedBlock {
  readonly role: Role;
  readonly kind: "text" | "call" | "result" | "media" | "thinking" | "other";
  /** Of a call and its result; null otherwise. */
  readonly callId: string | null;
  /** Of a call; null otherwise. */
  readonly toolName: string | null;
  /** The block as JSON in the format of its request, without `cache_control`. */
  readonly json: Uint8Array;
  /** Line of the file it stands on, from 1. */
  readonly line: number;
}

export interface RecordedMessage {
  readonly role: Role;
  readonly blocks: readonly RecordedBlock[];
}

/** One request of a recorded context, as the client sent it. */
export interface RecordedRequest {
  /** Unix time of the newest user line it sends; null where no line carries a time. */
  readonly atMs: number | null;
  readonly model: string | null;
  /** Id of the response: the provider's, or the log's own where it keeps only that; null where none is on record. */
  readonly messageId: string | null;
  /** What the provider reported for the response. */
  readonly usage: Usage | null;
  /** False for requests before the last client compaction of the context. */
  readonly isLive: boolean;
  /** The API format of `body`. */
  readonly wire: RecordedWire;
  /** Built anew on each access: read it once and let it go. */
  readonly body: Uint8Array;
  /** Its messages without building the body. */
  messages(): readonly RecordedMessage[];
}

/** One conversation of a file: the main thread, a sidechain, or an agent. */
export interface RecordedContext {
  readonly id: string;
  readonly kind: ContextKind;
  readonly sessionId: string | null;
  /** The API format of its requests and of its history. */
  readonly wire: RecordedWire;
  readonly requests: readonly RecordedRequest[];
  /** Estimated tokens of system prompt and tools: fitted where the file does not hold them. */
  readonly overheadTokens: number;
  readonly problems: readonly RecordedProblem[];
  /**
   * The context's whole content in a scope as one request body, in the order of the file: abandoned branches are in
   * it, results that the client cleared later are in full, calls without a result are kept.
   */
  history(scope: Scope): Uint8Array;
}

/** What one file holds. */
export interface Recording {
  readonly file: string;
  readonly format: RecordingFormat;
  readonly contexts: readonly RecordedContext[];
  /** Lines that belong to no context: broken, or not understood. */
  readonly problems: readonly RecordedProblem[];
}

/** A file that is no recording Ebb knows says so in words and counts as skipped. */
export type RecordingOutcome =
  | { readonly ok: true; readonly recording: Recording }
  | { readonly ok: false; readonly words: string };
