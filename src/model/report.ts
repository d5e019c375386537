import type { FileChange, Outcome } from "./acquisition.ts";
import type { Moment, ReleaseReason } from "./decision.ts";
import type { Address } from "./item.ts";
import type { NotedBoundary } from "./noted-boundary.ts";
import type { Clock } from "./transcript.ts";

/** Lines of one side of a hunk, counted from 1 within the compared text; `start` is the line before where `count` is 0. */
export interface HunkSide {
  readonly start: number;
  readonly count: number;
}

/** One place in which two texts differ. Each line begins with a space, `-` or `+`, or with `\` for a remark on the line before it. */
export interface Hunk {
  readonly before: HunkSide;
  readonly after: HunkSide;
  readonly lines: readonly string[];
}

/** Differences of two texts by lines, in order; none for equal texts. Pure, and bounded for any input. */
export interface DiffEngine {
  diff(before: string, after: string): readonly Hunk[];
}

/** One item of a working set, and where it stands. */
export interface ReportedItem extends Clock {
  readonly address: Address;
  readonly label: string;
  readonly bytes: number;
  /** `declared`: it was there before and was held with the scope. */
  readonly how: "acquired" | "declared";
  /** `asked`: it is to leave and is still held. `folded`: the client's own compaction took it out of the history. */
  readonly state: "held" | "asked" | "released" | "kept" | "folded";
  /** The decision that took it out, wholly or in part; null while it stands in full, or where the client took it out. */
  readonly left: ({ readonly reason: ReleaseReason; readonly moment: Moment } & Clock) | null;
}

/** Who changed a file: the agent by a call of a tool of its own, a command it ran, or an actor that no record names. */
export type ChangeActor = "tool" | "command" | "unknown";

/** One recorded change of a file, or an attempt at one. */
export interface ReportedChange extends Clock {
  readonly by: ChangeActor;
  readonly tool: string | null;
  readonly callId: string | null;
  readonly kind: FileChange["kind"];
  readonly outcome: Outcome;
  /** False: something changed, and no record states how. */
  readonly isProven: boolean;
  readonly words: string;
}

/**
 * What is different in the end. `none`: nothing, proven. `changed` with `isWhole`: the hunks are the whole difference between the
 * file before and after; else they are what the recorded calls prove, and `words` say what is not known. `unknown`: no
 * recorded call tells.
 */
export type NetEffect =
  | { readonly kind: "none"; readonly words: string }
  | {
      readonly kind: "changed";
      readonly isWhole: boolean;
      readonly parts: readonly ReportedPart[];
      readonly words: string;
    }
  | { readonly kind: "unknown"; readonly words: string };

/** Hunks of one comparison. */
export interface ReportedPart {
  /** False where only a fragment of the file is known, so that its line numbers are not the file's. */
  readonly hasLines: boolean;
  readonly hunks: readonly Hunk[];
}

/** What happened to one file, or to one cell of a notebook. */
export interface ReportedFile {
  readonly path: string;
  readonly cell: string | null;
  readonly changes: readonly ReportedChange[];
  readonly net: NetEffect;
}

/** How a scope ended: closed by an order, by the client's own compaction, or with the conversation or sub-agent it belonged to. */
export interface ScopeEnd extends Clock {
  readonly by: "order" | "compaction" | "clear" | "agent-end";
}

/** What the client told of the conversation, and by which hook. */
export interface ReportedBoundary extends Clock {
  readonly what: NotedBoundary;
  readonly source: string;
}

/** The span a report is about. */
export interface ReportedScope {
  readonly name: string;
  readonly reason: string;
  readonly opened: Clock;
  /** Null while it is open. */
  readonly ended: ScopeEnd | null;
}

/** What a working set acquired, what left, and what changed while it was held: no more than the ledger proves. */
export interface Report {
  readonly lineage: string;
  readonly sessionId: string | null;
  /** Null: the whole conversation. */
  readonly scope: ReportedScope | null;
  /** The clock up to which the report speaks. */
  readonly until: Clock;
  /** Oldest first. */
  readonly items: readonly ReportedItem[];
  /** By the first change of each in the span. */
  readonly files: readonly ReportedFile[];
  /** Oldest first; absent where the client told of none. */
  readonly boundaries?: readonly ReportedBoundary[];
}
