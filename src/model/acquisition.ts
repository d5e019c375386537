import type { ItemKey } from "./item.ts";

export type ToolKind = "read" | "edit" | "write" | "delete" | "rename" | "run" | "search" | "fetch" | "other";

/** What the result proves: `interrupted` covers calls the user rejected or aborted, `missing` a call without a result. */
export type Outcome = "ok" | "failed" | "interrupted" | "missing";

/**
 * The part of a file a read asked for, in the file's own 1-based lines, both ends inclusive. `end` null means to the
 * end of the file. `part` names a part that is not lines (pages of a PDF), null otherwise.
 */
export interface Window {
  readonly start: number;
  readonly end: number | null;
  readonly part: string | null;
}

/** Lines a result really printed, 1-based and inclusive. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** A change of one file that a result proves. Paths are as the agent wrote them. */
export interface FileChange {
  readonly kind: "edit" | "write" | "delete" | "rename";
  readonly path: string;
  /** Where the change was seen: the agent's own tool, a shell command, or the harness's notice about one. */
  readonly source: "tool" | "shell" | "notice";
}

/** One replacement inside a file: `from` stands there exactly once, unless `isAll`: then every occurrence is meant. */
export interface Replacement {
  readonly from: string;
  readonly to: string;
  readonly isAll: boolean;
}

/**
 * What a call states that it does to a file, whole: replacements one after the other, the whole content (`isNew`: nothing stood
 * there before), or one cell of a notebook (null: before the first one; an inserted cell follows the one that is named).
 */
export type ChangeText =
  | { readonly kind: "replacements"; readonly replacements: readonly Replacement[] }
  | { readonly kind: "content"; readonly text: string; readonly isNew: boolean }
  | {
      readonly kind: "cell";
      readonly cell: string | null;
      readonly mode: "replace" | "insert" | "delete";
      readonly text: string;
    };

/** How one tool result was obtained: the call and its result, read by a dialect. */
export interface Acquisition {
  readonly callId: string;
  readonly tool: string;
  readonly kind: ToolKind;
  readonly outcome: Outcome;
  /** The file read or changed, as the agent wrote it; null when the call names none. */
  readonly path: string | null;
  /** Working directory that the call itself states (a leading `cd`, a `cwd` argument); null when it states none. */
  readonly workingDirectory: string | null;
  /** Only for reads and shell reads. */
  readonly window: Window | null;
  /** Only for reads whose result tells its lines, and shell reads. */
  readonly printed: LineRange | null;
  /**
   * A `run` whose command prints lines of one named file and nothing else, and whose result holds all it printed and nothing
   * else: `path`, `window` and `printed` are set. A window that only the result could tell has a `part` of its own.
   */
  readonly isShellRead: boolean;
  /** A read answered with "unchanged since the last read" instead of the content. */
  readonly isUnchangedStub: boolean;
  /** File changes this result proves, in order. Empty unless `outcome` is `ok`, notices apart. */
  readonly changes: readonly FileChange[];
  /** The shell command, search pattern or address that was run, for labels; null when there is none. */
  readonly command: string | null;
}

/** An acquisition in its place: which items it stands on, and its order in the conversation. */
export interface PlacedAcquisition {
  readonly acquisition: Acquisition;
  readonly callKey: ItemKey;
  readonly resultKey: ItemKey | null;
  /** Absolute path after resolving against the stated working directory; null when there is no path. */
  readonly path: string | null;
  /** Absolute paths of `acquisition.changes`, in the same order. */
  readonly changedPaths: readonly string[];
  /** Step of the assistant message that made the call, from 1. */
  readonly step: number;
  /** Index of the call in its assistant message, from 0. */
  readonly callIndex: number;
}

/** A change the harness told of in a text of its own (a reminder, a system message), not in a result. */
export interface PlacedNotice {
  readonly itemKey: ItemKey;
  readonly change: FileChange;
  /** Absolute path of the change. */
  readonly path: string;
  /** Steps that precede the text. */
  readonly step: number;
}

/** Everything a dialect read out of one transcript, in order. */
export interface Observations {
  readonly acquisitions: readonly PlacedAcquisition[];
  readonly notices: readonly PlacedNotice[];
  /** Genuine user messages and assistant messages of this transcript alone. */
  readonly turns: number;
  readonly steps: number;
  readonly workingDirectory: string | null;
  /** The history begins with the client's own summary of an earlier one. */
  readonly isFolded: boolean;
  /** Items in front of the round that the model is in; all where the last word is a person's. */
  readonly settledCount: number;
}

/** Proof that a read is stale or superseded: the later event, by the key of its call or of the notice's text. */
export interface ReadEvidence {
  readonly itemKey: ItemKey;
  readonly step: number;
}

/** Where one read stands. `stale` and `superseded` may both be set; stale wins. Neither: fresh. */
export interface ReadFact {
  readonly resultKey: ItemKey;
  readonly path: string;
  readonly window: Window | null;
  readonly stale: ReadEvidence | null;
  readonly superseded: ReadEvidence | null;
  /** A live "unchanged" stub points to this read. */
  readonly isLoadBearing: boolean;
  readonly isUnchangedStub: boolean;
  /** For an unchanged stub: the read in this transcript it points to; null when there is none. */
  readonly stubTarget: ItemKey | null;
  /** Steps since the last event (read, edit or write) of the same path. */
  readonly quietSteps: number;
  /** A held later read prints every line this one printed. */
  readonly isCoveredLater: boolean;
  readonly mediaCount: number;
  readonly step: number;
}
