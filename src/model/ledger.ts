import type { FileChange, Outcome } from "./acquisition.ts";
import type { Aside } from "./aside.ts";
import type { CacheEntry, CachePlace } from "./cache.ts";
import type { Boundary, CacheDeletion, CacheEditBlock } from "./cache-edit.ts";
import type { Decision, ItemLabel, Moment, Restoration } from "./decision.ts";
import type { Address, Digest, ItemKey } from "./item.ts";
import type { NotedBoundary } from "./noted-boundary.ts";
import type { NetCost, Prediction, Verdict } from "./prediction.ts";
import type { Regret } from "./regret.ts";
import type { ClearReason, PinnedNote, ServerClearing } from "./server-clear.ts";
import type { Usage } from "./usage.ts";
import type { Actor, Declaration, PathDeclaration, RecordedWish, Scope } from "./wish.ts";

/** Version of the ledger's entry shapes; a change needs a migration. */
export const LEDGER_VERSION = 1;

/** An item as the ledger knows it from the moment it entered a window. */
export interface ItemRecord {
  readonly key: ItemKey;
  readonly address: Address;
  readonly kind: "result" | "media";
  readonly callId: string | null;
  readonly digest: Digest;
  readonly bytes: number;
  readonly lines: number;
  readonly mediaType: string | null;
  readonly label: ItemLabel;
  readonly isError: boolean;
  /** Absolute path after resolving against the stated working directory; null when there is no path. */
  readonly absolutePath: string | null;
  /** False when a `never_store` rule exempts it: then the original is not kept and the item is never released. */
  readonly isStored: boolean;
  /** Media that the body does not carry in full, or of which not all is understood: they stay. Absent for all others. */
  readonly isReferred?: true;
  readonly step: number;
  readonly turn: number;
}

/** A change of a file that the transcript tells of, or an attempt at one, as the ledger knows it. */
export interface SeenChange {
  /** The call that changes, or the text that tells of a change. */
  readonly itemKey: ItemKey;
  readonly callId: string | null;
  readonly tool: string | null;
  readonly kind: FileChange["kind"];
  readonly source: FileChange["source"];
  /** Absolute where the working directory is known, else as the agent wrote it; null once the user's words were removed. */
  readonly path: string | null;
  readonly outcome: Outcome;
  /** Step of the call, or the steps before the text; the turn in which it was seen. */
  readonly step: number;
  readonly turn: number;
  /** What the call states that it does, as an original; null where it does not say, or may not be stored. */
  readonly text: Digest | null;
  /** The original of a read of the whole file after its last change and before this one; null where there is none. */
  readonly base: Digest | null;
}

/** An earlier declaration taken back. */
export interface Withdrawal {
  readonly itemKey: ItemKey;
  readonly address: Address;
  readonly until: null;
  readonly reason: string;
  readonly by: Actor;
}

/** An earlier declaration about a path taken back. */
export interface PathWithdrawal {
  readonly path: string;
  readonly until: null;
  readonly reason: string;
  readonly by: Actor;
}

export type LedgerEntry =
  | {
      readonly type: "lineage-opened";
      readonly sessionId: string | null;
      readonly agentId: string | null;
      /** The lineage this one continues from, and how many of its items they share; null for a new conversation. */
      readonly parent: { readonly lineage: string; readonly itemCount: number } | null;
      /** Decisions in force on the shared items, replayed here. */
      readonly inherited: readonly Decision[];
      /** Turns and steps that happened before this history began (after a client compaction). */
      readonly turnsBefore: number;
      readonly stepsBefore: number;
      /** Until when the provider may hold what was inherited, Unix time; null when no cache lifetime is on record. */
      readonly warmUntilMs: number | null;
      /** Prefixes of the shared items that the parent left with the provider, by model and cache key. */
      readonly entries?: {
        readonly named: readonly { readonly name: string; readonly entries: readonly CacheEntry[] }[];
        /** How far what is not listed may reach, and until when. */
        readonly untold: { readonly itemCount: number; readonly untilMs: number | null } | null;
      };
      /** What the parent believed of the provider's cache had proven wrong. */
      readonly isDoubted?: true;
      /** The provider refused signed thinking of the parent. */
      readonly isRefused?: true;
    }
  | { readonly type: "client-folded"; readonly fromLineage: string }
  | { readonly type: "item-acquired"; readonly item: ItemRecord }
  | { readonly type: "item-released"; readonly decision: Decision }
  | { readonly type: "item-restored"; readonly restoration: Restoration }
  /** Thinking that is left out from here on. */
  | {
      readonly type: "thinking-stripped";
      readonly itemKeys: readonly ItemKey[];
      readonly turn: number;
      readonly step: number;
    }
  /** Thinking that goes out again, since no answer was given without it. */
  | { readonly type: "thinking-restored"; readonly itemKeys: readonly ItemKey[] }
  /** The provider is asked from here on to drop thinking that does not fit, or no longer. */
  | { readonly type: "thinking-dropped"; readonly isOn: boolean; readonly turn: number; readonly step: number }
  | { readonly type: "item-wished"; readonly wish: RecordedWish }
  /** A declared lifetime; `until` null takes an earlier one back. */
  | { readonly type: "item-held"; readonly held: Declaration | Withdrawal }
  | { readonly type: "item-protected"; readonly held: Declaration | Withdrawal }
  /** What is acquired of the path from now on is bound as well; what was acquired before has entries of its own. */
  | { readonly type: "path-held"; readonly held: PathDeclaration | PathWithdrawal }
  | { readonly type: "path-protected"; readonly held: PathDeclaration | PathWithdrawal }
  | { readonly type: "item-expired"; readonly itemKey: ItemKey; readonly address: Address; readonly words: string }
  /** A release that was missed later. */
  | { readonly type: "item-regretted"; readonly regret: Regret }
  /** An item that came in as a marker Ebb wrote: it stands for the item of that address and is no original. */
  | { readonly type: "marker-echoed"; readonly itemKey: ItemKey; readonly address: Address }
  | { readonly type: "change-seen"; readonly change: SeenChange }
  | { readonly type: "scope-opened"; readonly scope: Scope }
  | { readonly type: "scope-closed"; readonly name: string; readonly turn: number; readonly step: number }
  | {
      readonly type: "item-recalled";
      readonly address: Address;
      readonly range: string | null;
      readonly pattern: string | null;
      readonly by: "agent" | "user";
    }
  /** Deletions wait for the request that takes them. */
  | { readonly type: "edit-queued"; readonly deletions: readonly CacheDeletion[] }
  | { readonly type: "edit-pinned"; readonly block: CacheEditBlock }
  /** A request that carried these blocks was answered; a block goes by the request that took it. */
  | { readonly type: "edit-sent"; readonly pinnedBy: readonly string[] }
  /** The client told of it, by a hook of its own; `source` is the hook's name and what it stated. */
  | {
      readonly type: "boundary-noted";
      readonly what: NotedBoundary;
      readonly source: string;
      readonly turn: number;
      readonly step: number;
    }
  /** No cache edit holds any more; what outlives the boundary is stated again behind it. */
  | { readonly type: "boundary-reset"; readonly why: Boundary }
  /** What the provider is asked to clear by itself from here on; null: nothing. What left by it is released once a response tells. */
  | { readonly type: "server-clear-set"; readonly clearing: ServerClearing | null; readonly why: ClearReason }
  | { readonly type: "note-pinned"; readonly note: PinnedNote }
  /** From here on requests that offer tools offer these as well: JSON of their definitions, byte for byte the same each time. */
  | {
      readonly type: "tools-offered";
      readonly json: string;
      readonly names: readonly string[];
      readonly moment: Extract<Moment, "first-send" | "cold" | "prefix-broken">;
      /** Name of the wire in whose format; absent in entries from when there was one alone. */
      readonly wire?: string;
    }
  | { readonly type: "aside-pinned"; readonly aside: Aside }
  /** The message of an attempt ended for the client; marks of all that it saw of it. */
  | {
      readonly type: "aside-closed";
      readonly anchor: string;
      readonly attempt: string;
      readonly seen: readonly string[];
    }
  | {
      readonly type: "request-sent";
      readonly requestId: string;
      readonly model: string | null;
      /** Name of the provider it went to; absent in entries from when there was one alone. */
      readonly provider?: string;
      readonly cacheKey: Digest;
      /** How long the provider may keep what it leaves there, in milliseconds; null where nothing is on record. */
      readonly cacheTtlMs: number | null;
      /** Items of this request; the chain of the lineage now ends here. */
      readonly itemCount: number;
      /** Where it has cache breakpoints, those of Ebb included. */
      readonly breakpoints?: readonly CachePlace[];
      /** Items in front of the first one that goes out in another form than before; absent where none does. */
      readonly sameCount?: number;
      /** Where the entries end that it reads; absent where no thinking is left out of it, so that its breakpoints tell. */
      readonly found?: readonly Omit<CachePlace, "ttlMs">[];
      readonly turn: number;
      readonly step: number;
      /** The model signs thinking over what stands before it, and thinking was sent. */
      readonly isBound: boolean;
      /** Items up to and including the last thinking that the client sends; absent where it sends none. */
      readonly thoughtCount?: number;
      /** New decisions could act in it (mode `enforce`). */
      readonly isActing: boolean;
      /** Ebb was paused. */
      readonly isPaused?: true;
      /** Answers stand in it that no request on record got: others went before it. */
      readonly hasUnseen?: true;
      /** What it was to read from the provider's cache, and to write to it. */
      readonly predicted?: Prediction;
    }
  | {
      readonly type: "response-seen";
      readonly requestId: string;
      readonly status: number;
      readonly usage: Usage | null;
      /** What came of the prediction; absent where none was made. */
      readonly verdict?: Verdict;
      /** What the request cost beyond one without Ebb; absent where the response told no usage. */
      readonly net?: NetCost;
      readonly errorType: string | null;
      /** The provider refused its signed thinking. */
      readonly refusesThinking?: true;
      /** Calls of the response by id and tool name: a tool answer binds to the lineage whose last response holds its call. */
      readonly calls: readonly { readonly id: string; readonly name: string }[];
    };

/** An entry as stored: `seq` counts from 1 within its lineage without gaps; `atMs` is Unix time. */
export interface LedgerRecord {
  readonly seq: number;
  readonly atMs: number;
  readonly entry: LedgerEntry;
}
