import type { ToolKind } from "../model/acquisition.ts";
import type { InlineRound } from "../model/aside.ts";
import type { Decision, Decline, DeclineReason, ItemLabel, Moment, ReleaseReason } from "../model/decision.ts";
import type { Script } from "../model/edit.ts";
import type { Item, ItemKey } from "../model/item.ts";
import type { ItemRecord } from "../model/ledger.ts";
import type { Provider, RequestHeaderValue, Wire, WireRoute } from "../model/ports.ts";
import type { MissCause } from "../model/prediction.ts";
import type { RegretKind } from "../model/regret.ts";
import type { SessionHints } from "../model/session.ts";
import type { PurgeSelection, Removed, StoreSize } from "../model/store.ts";
import type { ToolAnswer } from "../model/tool.ts";
import type { Transcript } from "../model/transcript.ts";
import type { ResponseFacts } from "../model/usage.ts";

import type { Binding, ToolCall } from "./bind.ts";
import type { EjectAnswer, EjectQuery } from "./eject.ts";
import type { Order, OrderAnswer, OrderContext } from "./order.ts";
import type { ReportAnswer, ReportQuery } from "./report.ts";
import type { StatusAnswer, StatusQuery } from "./status.ts";
import type { WindowAnswer } from "./window.ts";

/** `enforce` decides and acts; `observe` decides and acts on nothing new; `off` only replays what was already sent. */
export type Mode = "enforce" | "observe" | "off";

/** One request on its way to the provider, body decoded (no content-encoding). */
export interface KeeperRequest {
  readonly wire: Wire;
  readonly route: WireRoute;
  /** The endpoint it goes to: the facts of its models count, and the ledger keeps its name. */
  readonly provider: Provider;
  readonly body: Uint8Array;
  readonly hints: SessionHints;
  readonly userAgent: string | null;
  /** The request goes out on a person's subscription; left out: it does not. */
  readonly isSubscription?: boolean;
  /** Name of the run whose account it is counted in as well. */
  readonly run?: string;
  /** Unix time at which the request arrived. */
  readonly atMs: number;
}

/** What became of one request: the golden format of `ebb inspect` is printed from it. */
export interface RequestPlan {
  readonly lineage: string;
  readonly transcript: Transcript;
  /** Every decision in force in this request, sent before or new. */
  readonly inForce: readonly Decision[];
  /** Those of them made by this request. */
  readonly fresh: readonly Decision[];
  /** What this request changes beside them: breakpoints, notes, what the provider is asked for. */
  readonly edits: Script;
  readonly declines: readonly Decline[];
  readonly turn: number;
  readonly step: number;
  /** Items at the head of this request that an earlier request of the lineage already sent. */
  readonly sentItems: number;
  /** Estimated tokens of an item's original. */
  tokensOf(item: Item): number;
  /** What an item was, by its key. */
  labelOf(key: ItemKey): ItemLabel;
  /** What the call that acquired a result or media did, and the turn and step at which it came; null where that is not known. */
  acquiredOf(key: ItemKey): AcquiredItem | null;
}

/** How and when an item was acquired. */
export interface AcquiredItem {
  /** Null for what came by no call. */
  readonly kind: ToolKind | null;
  readonly turn: number;
  readonly step: number;
}

export type Prepared =
  | {
      readonly kind: "forward";
      /** Slices to send in order; their total length is the new content-length. */
      readonly body: readonly Uint8Array[];
      readonly isEdited: boolean;
      /** What the body needs in the request's headers beside what the client states there. */
      readonly headers: readonly RequestHeaderValue[];
      /** Null when the body was not understood or nothing could be planned; `problem` then says why, in words. */
      readonly plan: RequestPlan | null;
      readonly problem: string | null;
      /** Null where no tool of Ebb's own is offered on its behalf: then the response is the client's as it comes. */
      readonly inline: Inline | null;
      /**
       * To be called once the response ended, failed or was cut. Never throws. `status` 0 means no response came.
       */
      finish(response: ResponseFacts, status: number): Promise<void>;
    }
  /** No valid form can be sent now; the client should retry. */
  | { readonly kind: "refuse"; readonly words: string };

/** How calls of the tools that Ebb added to a request are answered before the client sees them. Its methods never throw. */
export interface Inline {
  readonly toolNames: ReadonlySet<string>;
  /** The conversation they are made in. */
  readonly lineage: string;
  readonly sessionId: string | null;
  /**
   * Makes a round's calls and answers durable, so that they stand again in later requests. For a `round` it then prepares the
   * next request; for one `beside` other calls `next` is null.
   */
  pin(round: InlineRound, answers: readonly ToolAnswer[], atMs: number): Promise<Pinned>;
  /** Records that the message ended for the client, who saw blocks with these marks of it. */
  close(seen: readonly string[], atMs: number): Promise<void>;
}

export type Pinned =
  | { readonly ok: true; readonly next: Extract<Prepared, { kind: "forward" }> | null }
  /** Nothing may be said of the calls; the client should ask again. */
  | { readonly ok: false; readonly words: string };

export interface RecallQuery {
  readonly tenant: string;
  /** Address or call id; `index` lists what left. */
  readonly id: string;
  /** Null: the whole. */
  readonly range: string | null;
  readonly pattern: string | null;
  readonly ignoreCase: boolean;
  /** Most code points of text in the answer, from 1; null: the size bound alone caps it, as it does in any case. */
  readonly chars: number | null;
  /** Only answer for items of this session; null: any session of the tenant. */
  readonly sessionId: string | null;
  /** The lineage a tool call came from, where it is known: the index is that of this lineage. */
  readonly lineage?: string | null;
  readonly by: "agent" | "user";
  readonly atMs: number;
}

export type RecallFailure =
  | "unknown id"
  /** Exempt from storing by a `never_store` rule, so it never left the window either. */
  | "not stored"
  /** The stored bytes do not match their digest. */
  | "damaged in store"
  | "store unavailable"
  | "belongs to another session"
  | "expired by retention"
  | "purged by the user"
  | "not a finished result"
  | "empty result"
  | "bad range"
  | "bad pattern"
  | "selects nothing"
  | "attachment cannot be sliced"
  | "ambiguous session";

export type RecallAnswer =
  | {
      readonly ok: true;
      /** Null for the index. */
      readonly item: ItemRecord | null;
      /** Label line, what is shown, blank line, text: what a person or a model reads. For media the label line alone. */
      readonly text: string;
      /** The exact bytes of the original, whole; of the index those of its text. */
      readonly raw: Uint8Array;
    }
  | { readonly ok: false; readonly failure: RecallFailure; readonly words: string };

/** Figures of §12 as far as they are known; a null is unknown, never zero. Tokens are estimates unless said otherwise. */
export interface Figures {
  readonly unique_released_tokens: number;
  readonly attempted_tokens: number;
  readonly removed_tokens: number;
  readonly token_turns: number;
  readonly stale_token_turns: number;
  readonly stale_token_turns_avoided: number;
  readonly reanchored_tokens: number;
  readonly peak_window: number;
  readonly recalled_items: number;
  readonly recalled_tokens: number;
  readonly net_cost_usd: number | null;
  readonly regret: RegretFigures;
}

/** Releases that were missed later, each item once for each kind; the kinds overlap. */
export type RegretFigures = Readonly<Record<RegretKind, number>>;

export interface ReleaseCount {
  readonly policy: string;
  readonly reason: ReleaseReason;
  readonly moment: Moment;
  readonly count: number;
  /** Tokens of the originals. */
  readonly tokens: number;
}

/** Counts since the keeper started. */
export interface KeeperStats {
  readonly mode: Mode;
  /** Nothing new is decided for now; what was sent is repeated. */
  readonly paused: boolean;
  readonly requests: number;
  readonly counted: number;
  /** Bodies that passed through unread, by reason in words. */
  readonly unread: Readonly<Record<string, number>>;
  /** Requests for models that are not on record, by name: the most cautious facts count for them. */
  readonly unknown_models: Readonly<Record<string, number>>;
  readonly lineages: number;
  /** Items acquired (results and media). */
  readonly items: number;
  /** Released in enforce mode; what would have been released in observe mode is `would_release`. */
  readonly released: readonly ReleaseCount[];
  readonly would_release: readonly ReleaseCount[];
  readonly declined: readonly {
    readonly reason: DeclineReason;
    readonly item_requests: number;
    readonly items: number;
  }[];
  /** `figures.regret` by the policy whose release it was. */
  readonly regretted: readonly ({ readonly policy: string } & RegretFigures)[];
  readonly recalls: number;
  /** Tools of Ebb's own inside the stream: conversations that offer them, messages in which the model called them, and rounds. */
  readonly inline: { readonly offered: number; readonly asides: number; readonly rounds: number };
  /** Calls whose input would write a marker into a file; they are left as they are. */
  readonly marker_writes: number;
  /** What came of predictions of what the provider reads from its cache. */
  readonly predictions: {
    readonly held: number;
    readonly missed: Readonly<Partial<Record<MissCause, number>>>;
    readonly unjudged: number;
    /** The provider told nothing of its cache where it should. */
    readonly none_reported: number;
  };
  /** How often the net guard came to stand in a lineage, requests sent while it stood, and where it stands since when. */
  readonly net_guard: {
    readonly engaged: number;
    readonly requests: number;
    readonly standing: readonly {
      readonly lineage: string;
      readonly session: string | null;
      readonly since_ms: number;
    }[];
  };
  readonly figures: Figures;
  /** Newest last, bounded. */
  readonly errors: readonly { readonly at_ms: number; readonly code: string; readonly words: string }[];
  /** Requests sent in a fallback form, by form. */
  readonly fallbacks: { readonly script_only: number; readonly original: number; readonly refused: number };
  /** Requests the provider refused for signed thinking that did not fit. */
  readonly signature_refusals: number;
  readonly law_violations: number;
}

/** The one place where pure meets impure. Its methods never throw for input, store or provider. */
export interface Keeper {
  readonly mode: Mode;
  prepare(request: KeeperRequest): Promise<Prepared>;
  recall(query: RecallQuery): Promise<RecallAnswer>;
  /** Records what the agent or the user decides about items, before it answers. */
  decide(order: Order, context: OrderContext): Promise<OrderAnswer>;
  /** What a conversation holds: items, where they stand, why and until when. */
  window(context: OrderContext): Promise<WindowAnswer>;
  /** A conversation in a few figures: of the session that is named, else the one used last. */
  status(query: StatusQuery): Promise<StatusAnswer>;
  /** What it costs to go on with a conversation without Ebb. */
  eject(query: EjectQuery): Promise<EjectAnswer>;
  /** The conversation a tool call came from, as far as the ledger tells. */
  bind(call: ToolCall): Promise<Binding>;
  /** What a working set, or a whole conversation, acquired, what left and what changed. */
  report(query: ReportQuery, context: OrderContext): Promise<ReportAnswer>;
  /** Of one run: what was counted in its account; all zero for a name that is not known. */
  stats(run?: string): KeeperStats;
  storeSize(): Promise<StoreSize>;
  purge(tenant: string, selection: PurgeSelection, atMs: number): Promise<Removed>;
  /** Applies retention; called by whoever runs a long-lived process. */
  sweep(atMs: number): Promise<Removed>;
  /** Waits for writes still under way. */
  close(): Promise<void>;
}
