import type { EvidenceOptions } from "../engine/evidence.ts";
import type { BoundThinking } from "../engine/thinking-way.ts";
import type { PayingOptions } from "../engine/waiting.ts";
import type { LifetimeRule } from "../model/lifetime-rule.ts";
import type { Dialect, Gate, PatternEngine, Policy, Provider, ShellParser, TokenCounter } from "../model/ports.ts";
import type { DiffEngine } from "../model/report.ts";
import type { Store } from "../model/store.ts";
import type { ToolDefinition } from "../model/tool.ts";
import type { SizeBound } from "../model/view.ts";
import type { Mode } from "./contract.ts";

/** Everything a keeper is given; it reaches for nothing by itself. */
export interface KeeperSettings {
  readonly mode: Mode;
  /** Read once a request: while it says so, nothing new is decided and what was sent is repeated. */
  readonly isPaused: () => boolean;
  /** Tools that are added to requests which offer none of Ebb's; null for none, as where nobody answers their calls (`createInlineAnswerer`). */
  readonly inlineTools: InlineTools | null;
  readonly store: Store;
  readonly dialects: readonly Dialect[];
  /** In pipeline order. */
  readonly policies: readonly Policy[];
  /** In the order in which a refusal is named. */
  readonly gates: readonly Gate[];
  /** What requests on record are priced by, each by the name it was sent under; of several with one name the first. */
  readonly providers: readonly Provider[];
  readonly shell: ShellParser | null;
  readonly tokens: TokenCounter;
  readonly patterns: PatternEngine;
  readonly diff: DiffEngine;
  readonly evidence: EvidenceOptions;
  /** Deliberate decisions wait for a moment that costs nothing. */
  readonly deliberateWhenFree: boolean;
  /** When what was sent before may be written again for its price. */
  readonly paying: PayingOptions;
  /** What may become of thinking that is signed over what stands before it. */
  readonly boundThinking: BoundThinking;
  /** What only signed thinking or the cache holds back is asked of the provider's own context editing. */
  readonly serverClear: boolean;
  /** Lifetimes that items get without anyone declaring them. */
  readonly lifetimeRules: readonly LifetimeRule[];
  /** Caps one recall answer. */
  readonly bound: SizeBound;
  /** Command a marker names, without the address. */
  readonly recallCommand: string;
  readonly isNeverStored: (path: string) => boolean;
  /** Originals are kept this long after their last reference, in milliseconds. */
  readonly retentionMs: number;
  /** A new unique name for a lineage or a request. */
  readonly newId: () => string;
  /** Called with each error that was survived, and once for each model that is not on record; for the operator's log. */
  readonly onError: (code: string, words: string) => void;
}

/** Tools of Ebb's own that the model may call inside the stream. */
export interface InlineTools {
  readonly definitions: readonly ToolDefinition[];
  /** Also on requests with a subscription's credentials. */
  readonly onSubscription: boolean;
}
