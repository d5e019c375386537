import type { Usage } from "../../model/usage.ts";
import type { RecordedMessage } from "../recording.ts";

/** What one entry of a log tells. */
export type Told =
  /** Of the person or of the agent program: texts, media, results of tools. */
  | { readonly kind: "said"; readonly messages: readonly RecordedMessage[] }
  | ToldResponse
  /** A client compaction: of what stands before, only the entries from `keptFrom` on are sent again, behind `opening`. */
  | { readonly kind: "fold"; readonly opening: readonly RecordedMessage[]; readonly keptFrom: ToldEntry | null }
  /** From here on the results of these calls are sent cleared. */
  | { readonly kind: "clear"; readonly callIds: ReadonlySet<string> }
  /** From here on these entries are not sent; the messages stand in place of the first of them. */
  | { readonly kind: "forget"; readonly entries: ReadonlySet<ToldEntry>; readonly instead: readonly RecordedMessage[] };

/** One response of the model, and with it the request that it answered. */
export interface ToldResponse {
  readonly kind: "response";
  readonly message: RecordedMessage;
  readonly model: string | null;
  readonly messageId: string | null;
  readonly usage: Usage | null;
  /** When the request was sent, where the log says so; null: when the newest entry before it was made. */
  readonly askedMs: number | null;
  /** False for an answer that broke off: it was asked for, but the client never sends it back. */
  readonly isSentBack: boolean;
}

/** An entry of a log at its place. Entries that continue the same one are branches. */
export interface ToldEntry {
  /** From 1; 0 where the file has no lines. */
  readonly line: number;
  readonly atMs: number | null;
  /** The entry it continues; null where a history begins. */
  readonly parent: ToldEntry | null;
  readonly told: Told;
}

/** A history on its way to the model: entries in order, what they open with, and what was taken out of it on the way. */
export interface ToldPath {
  readonly opening: readonly RecordedMessage[];
  readonly entries: readonly ToldEntry[];
  readonly clearedIds: ReadonlySet<string>;
  /** Messages that stand in place of an entry; none for one that is left out. */
  readonly replaced: ReadonlyMap<ToldEntry, readonly RecordedMessage[]>;
}

/** What is sent by whoever continues `leaf`, leaf included: back to the last compaction, and what that kept. */
export function pathTo(leaf: ToldEntry | null): ToldPath {
  const entries: ToldEntry[] = [];
  const clearedIds = new Set<string>();
  const replaced = new Map<ToldEntry, readonly RecordedMessage[]>();
  let opening: readonly RecordedMessage[] | null = null;
  let keptFrom: ToldEntry | null = null;
  for (let at = leaf; at !== null; at = at.parent) {
    const { told } = at;
    if (told.kind === "clear") for (const id of told.callIds) clearedIds.add(id);
    if (told.kind === "forget") noteForgotten(told, replaced);
    if (told.kind === "fold" && opening === null) {
      if (told.keptFrom === null || !isBefore(told.keptFrom, at))
        return { opening: told.opening, entries: entries.reverse(), clearedIds, replaced };
      ({ opening, keptFrom } = told);
    }
    entries.push(at);
    if (at === keptFrom) break;
  }
  return { opening: opening ?? [], entries: entries.reverse(), clearedIds, replaced };
}

function isBefore(sought: ToldEntry, entry: ToldEntry): boolean {
  for (let at = entry.parent; at !== null; at = at.parent) if (at === sought) return true;
  return false;
}

/** Of two that forget the same entry, the later one, which is met first, says what stands there. */
function noteForgotten(
  told: Extract<Told, { kind: "forget" }>,
  replaced: Map<ToldEntry, readonly RecordedMessage[]>,
): void {
  let instead = told.instead;
  for (const entry of told.entries) {
    if (!replaced.has(entry)) replaced.set(entry, instead);
    instead = [];
  }
}
