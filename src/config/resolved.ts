import type { DialectDescription } from "../dialects/described/description.ts";
import type { ShellReads } from "../engine/evidence.ts";
import type { BoundThinking } from "../engine/thinking-way.ts";
import type { PayingOptions } from "../engine/waiting.ts";
import type { Mode } from "../keeper/contract.ts";
import type { LifetimeRule } from "../model/lifetime-rule.ts";
import type { MediaBudgetOptions } from "../policies/media-budget.ts";
import type { ReadLifecycleOptions } from "../policies/read-lifecycle.ts";
import type { SizeBoundOptions } from "../policies/size-bound.ts";
import type { StatedModel } from "../providers/stated-models.ts";
import type { CacheEditsAdapter } from "../wires/anthropic-messages/cache-edits.ts";
import type { NamedUpstream } from "./upstreams-option.ts";

/** Policies a pipeline may name. */
export type PolicyName = "sizebound" | "readlifecycle";

/** The configuration in force: checked, complete, plain data. */
export interface ResolvedConfig {
  /** The configuration file that was read; null where there was none. */
  readonly file: string | null;
  readonly host: string;
  readonly port: number;
  /** Without a trailing slash. */
  readonly upstream: string;
  /** It was stated: all requests go there whose address names no other. Else each goes where its format and credentials say. */
  readonly isUpstreamStated: boolean;
  /** Upstreams that an address may name. */
  readonly upstreams: readonly NamedUpstream[];
  readonly mode: Mode;
  /** Absolute. */
  readonly dataFolder: string;
  /** Where what is carried is written down, absolute; null: nowhere. */
  readonly recordFolder: string | null;
  /** Policies in order. */
  readonly pipeline: readonly PolicyName[];
  /** Null: switched off. */
  readonly sizeBound: SizeBoundOptions | null;
  readonly readLifecycle: ReadLifecycleOptions;
  /** Shell commands that write a file named in their text count as edits. */
  readonly bashEdits: boolean;
  /** The harness's own notice that a command changed a file counts as an edit. */
  readonly harnessNotices: boolean;
  /** Shell commands that print lines of one named file count as reads of it. */
  readonly shellReads: ShellReads;
  /** Lifetimes that items get without anyone declaring them. */
  readonly lifetimeRules: readonly LifetimeRule[];
  /** Null: switched off. */
  readonly mediaBudget: MediaBudgetOptions | null;
  /** When what was sent before may be written again for its price. */
  readonly paying: PayingOptions;
  /** What may become of thinking that is signed over what stands before it. */
  readonly boundThinking: BoundThinking;
  /** What only signed thinking or the cache holds back is asked of the provider's own context editing. */
  readonly serverClear: boolean;
  /** What is stated of models, over what is on record. */
  readonly models: readonly StatedModel[];
  /** How the provider is asked to delete from its own cache; null: never. */
  readonly cacheEdits: CacheEditsAdapter | null;
  /** Name of the dialect that every request is read with; null: told from the request. */
  readonly dialect: string | null;
  /** Dialects that are stated, asked before the built-in ones. */
  readonly dialects: readonly DialectDescription[];
  /** Deliberate decisions wait for a moment that costs nothing. */
  readonly deliberateWhenFree: boolean;
  /** Tools of Ebb's own that are offered where a conversation has none. */
  readonly inlineTools: { readonly which: "off" | "recall" | "all"; readonly onSubscription: boolean };
  readonly neverStore: readonly string[];
  readonly retentionDays: number;
  readonly diskBytesMax: number;
  readonly recallCommand: string;
  readonly logLevel: "silent" | "error" | "warn" | "info" | "debug";
  /** The same for configurations that decide the same; upstream, mode, data folder and log are no part of it. */
  readonly digest: string;
}
