import type { Aside } from "../model/aside.ts";
import type { LedgerEntry } from "../model/ledger.ts";

/** One request for a message of the model, as far as ledgers tell of its asides. */
export interface Attempt {
  readonly id: string;
  /** When a ledger first told of it, Unix time. */
  readonly atMs: number;
  /** In the order of their rounds. */
  readonly asides: readonly Aside[];
  /** Marks of all that the client saw of the message; null until it ended for it. */
  readonly seen: readonly string[] | null;
}

/** Attempts by the anchor of their message, oldest first. */
export type Attempts = ReadonlyMap<string, readonly Attempt[]>;

/** What a ledger tells of an attempt. */
export type AttemptEntry = Extract<LedgerEntry, { type: "aside-pinned" | "aside-closed" }>;

/** Before any ledger tells of one. */
export const NO_ATTEMPTS: Attempts = new Map();

/** Continues attempts with later entries, in order. */
export function foldAttempts(
  start: Attempts,
  entries: readonly { readonly atMs: number; readonly entry: AttemptEntry }[],
): Attempts {
  if (entries.length === 0) return start;
  const attempts = new Map(start);
  for (const { atMs, entry } of entries) {
    const { anchor, one } = attemptOf(entry, atMs);
    attempts.set(anchor, mergedAttempts([attempts.get(anchor) ?? [], [one]]));
  }
  return attempts;
}

/** What several ledgers tell of the attempts at one anchor. */
export function mergedAttempts(told: readonly (readonly Attempt[])[]): readonly Attempt[] {
  const merged = new Map<string, Attempt>();
  for (const one of told.flat()) {
    const known = merged.get(one.id);
    merged.set(one.id, known === undefined ? one : mergedAttempt(known, one));
  }
  return Array.from(merged.values()).sort((left, right) => left.atMs - right.atMs);
}

/** The attempts with a new aside, or with the end of one of them. */
export function withAttempt(attempts: readonly Attempt[], entry: AttemptEntry, atMs: number): readonly Attempt[] {
  return mergedAttempts([attempts, [attemptOf(entry, atMs).one]]);
}

/** An end at which nothing was seen says no more than that the request was made. */
function attemptOf(entry: AttemptEntry, atMs: number): { readonly anchor: string; readonly one: Attempt } {
  if (entry.type === "aside-pinned") {
    const { aside } = entry;
    return { anchor: aside.anchor, one: { id: aside.attempt, atMs, asides: [aside], seen: null } };
  }
  const { anchor, attempt, seen } = entry;
  return { anchor, one: { id: attempt, atMs, asides: [], seen: seen.length === 0 ? null : seen } };
}

function mergedAttempt(left: Attempt, right: Attempt): Attempt {
  return {
    id: left.id,
    atMs: Math.min(left.atMs, right.atMs),
    asides: mergedAsides(left.asides, right.asides),
    seen: (right.seen?.length ?? 0) > (left.seen?.length ?? 0) ? right.seen : left.seen,
  };
}

function mergedAsides(left: readonly Aside[], right: readonly Aside[]): readonly Aside[] {
  const added = right.filter((one) => !left.some((known) => isSame(known, one)));
  if (added.length === 0) return left;
  return [...left, ...added].sort((one, other) => one.seen.length - other.seen.length);
}

function isSame(left: Aside, right: Aside): boolean {
  return left.digest === right.digest;
}
