import type { DeclineReason, Moment, ReleaseReason } from "../../model/decision.ts";
import type { RecordedProblem, RecordingFormat, Scope } from "../recording.ts";

/** Names in these shapes are the names of `ebb analyze --json`. Tokens are estimates. */
export interface Amount {
  readonly count: number;
  readonly bytes: number;
  readonly tokens: number;
}

export interface ReadAmount extends Amount {
  /** Of the tokens of all text reads; null without any. */
  readonly share: number | null;
}

export interface MediaAmount {
  readonly count: number;
  readonly bytes: number;
}

export interface ReadsAnalysis {
  readonly stale: ReadAmount;
  readonly superseded: ReadAmount;
  readonly fresh: ReadAmount;
  /** Reads that gave an image or a document and no text; in none of the classes. */
  readonly images: MediaAmount;
  readonly failed: number;
  readonly unanswered: number;
}

export interface ToolAnalysis {
  readonly tool: string;
  readonly calls: number;
  readonly bytes: number;
  readonly tokens: number;
  /** Tokens of its results, each as often as a request sent it. */
  readonly token_turns: number;
  /** Of `input_tokens`: of everything that all requests sent. Null without a request. */
  readonly share: number | null;
}

export interface Resident {
  readonly label: string;
  readonly context: string;
  /** Address of the item; null for what cannot be released. */
  readonly address: string | null;
  readonly tokens: number;
  readonly requests: number;
  readonly token_turns: number;
}

/** What Ebb would have done with the recorded requests. */
export interface WouldDo {
  readonly released: readonly {
    readonly reason: ReleaseReason;
    readonly moment: Moment;
    readonly count: number;
    readonly tokens: number;
  }[];
  readonly declined: readonly { readonly reason: DeclineReason; readonly items: number }[];
}

/** The part of an analysis that adds up over files. */
export interface Figures {
  readonly contexts: number;
  readonly requests: number;
  readonly reads: ReadsAnalysis;
  /** Calls that changed a file, by what counts as evidence of it. */
  readonly edits: number;
  readonly tools: readonly ToolAnalysis[];
  readonly over_bound: Amount;
  /** Results with the text of an earlier result of the same tool and arguments. */
  readonly repeats: Amount;
  readonly failed_calls: number;
  readonly images: MediaAmount;
  /** Everything all requests sent, system and tools included. */
  readonly input_tokens: number;
  /** System and tools alone, as often as they were sent. */
  readonly overhead_token_turns: number;
  /** Largest single request. */
  readonly peak_window: number;
}

export interface SessionAnalysis extends Figures {
  readonly file: string;
  readonly format: RecordingFormat;
  readonly scope: Scope;
  /** The largest by token-turns, largest first. */
  readonly residents: readonly Resident[];
  /** Null when nobody was asked. */
  readonly would: WouldDo | null;
  /** One sentence on what Ebb would do, or why nothing. */
  readonly words: string;
  readonly problems: readonly RecordedProblem[];
}
