import {
  type Attempt,
  type AttemptEntry,
  foldAttempts,
  mergedAttempts,
  NO_ATTEMPTS,
  withAttempt,
} from "../engine/attempts.ts";
import { createBoundedMap } from "../lib/bounded-map.ts";
import type { Store } from "../model/store.ts";

/** Which attempts at messages pinned asides, by anchor: what this process knows, and what it asks the store. */
export interface Anchors {
  known(tenant: string, anchor: string): KnownAnchor | undefined;
  /** Asks the store once for all of them. Throws `EbbError` where it does not answer; then nothing is known that was not. */
  ask(tenant: string, questions: readonly AnchorQuestion[]): Promise<void>;
  /** A request for the message left from here: whatever it leads to is told by `note`. */
  noteSent(tenant: string, anchor: string): void;
  note(tenant: string, entry: AttemptEntry, atMs: number): void;
  /** A request for the message got none. */
  noteUnanswered(tenant: string, anchor: string, attempt: string): void;
  forgetAll(): void;
}

/** Which anchor is asked about, and for which message behind it. */
export interface AnchorQuestion {
  readonly anchor: string;
  /** Hash of the chain up to the end of the message; null where it is only asked for. */
  readonly end: string | null;
}

export interface KnownAnchor {
  /** Oldest first; none: no request for the message pinned any aside. */
  readonly attempts: readonly Attempt[];
  /**
   * The message for which the store was asked since the last request for one left from here: nobody else knows more of it. Of
   * another message behind the same anchor another process may. Null: for none.
   */
  readonly askedEnd: string | null;
}

const ANCHORS_MAX = 100_000;

/** Nothing is known yet. */
export function createAnchors(store: Store): Anchors {
  let memory = createBoundedMap<string, KnownAnchor>(ANCHORS_MAX);

  return {
    known: (tenant, anchor) => memory.get(nameOf(tenant, anchor)),
    async ask(tenant, questions) {
      const told = await askStore(store, tenant, Array.from(new Set(questions.map(({ anchor }) => anchor))));
      for (const { anchor, end } of questions) {
        const name = nameOf(tenant, anchor);
        const attempts = mergedAttempts([told.get(anchor) ?? [], memory.get(name)?.attempts ?? []]);
        memory.set(name, { attempts, askedEnd: end });
      }
    },
    noteSent(tenant, anchor) {
      const name = nameOf(tenant, anchor);
      memory.set(name, { attempts: memory.get(name)?.attempts ?? [], askedEnd: null });
    },
    note(tenant, entry, atMs) {
      const name = nameOf(tenant, entry.type === "aside-pinned" ? entry.aside.anchor : entry.anchor);
      const before = memory.get(name);
      const attempts = withAttempt(before?.attempts ?? [], entry, atMs);
      memory.set(name, { attempts, askedEnd: before?.askedEnd ?? null });
    },
    noteUnanswered(tenant, anchor, attempt) {
      const name = nameOf(tenant, anchor);
      const known = memory.get(name);
      if (known === undefined) return;
      const isOf = ({ id, asides, seen }: Attempt) => id === attempt && asides.length === 0 && seen === null;
      memory.set(name, { ...known, attempts: known.attempts.filter((one) => !isOf(one)) });
    },
    forgetAll() {
      memory = createBoundedMap(ANCHORS_MAX);
    },
  };
}

async function askStore(
  store: Store,
  tenant: string,
  anchors: readonly string[],
): Promise<ReadonlyMap<string, readonly Attempt[]>> {
  const found = await store.findAnchored(tenant, anchors);
  const told = new Map<string, readonly Attempt[]>();
  for (const lineage of new Set(found.map((one) => one.lineage))) {
    const records = await store.loadLineage(tenant, lineage);
    const entries = records.flatMap(({ atMs, entry }) => (isOfAttempt(entry) ? [{ atMs, entry }] : []));
    const attempts = foldAttempts(NO_ATTEMPTS, entries);
    for (const { anchor } of found.filter((one) => one.lineage === lineage)) {
      told.set(anchor, mergedAttempts([told.get(anchor) ?? [], attempts.get(anchor) ?? []]));
    }
  }
  return told;
}

function isOfAttempt(entry: { readonly type: string }): entry is AttemptEntry {
  return entry.type === "aside-pinned" || entry.type === "aside-closed";
}

function nameOf(tenant: string, anchor: string): string {
  return `${anchor} ${tenant}`;
}
