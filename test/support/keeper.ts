import { builtinKeeperSettings } from "../../src/builtin-settings.ts";
import { providerOfWire } from "../../src/builtins.ts";
import type { BoundThinking } from "../../src/engine/thinking-way.ts";
import type { PayingOptions } from "../../src/engine/waiting.ts";
import type { Keeper, Mode, Prepared } from "../../src/keeper/contract.ts";
import { createKeeper } from "../../src/keeper/keeper.ts";
import type { InlineTools } from "../../src/keeper/settings.ts";
import type { LifetimeRule } from "../../src/model/lifetime-rule.ts";
import type { Gate, Policy, Provider, Wire } from "../../src/model/ports.ts";
import type { Store } from "../../src/model/store.ts";
import { createDeliberate } from "../../src/policies/deliberate.ts";
import { lifetimes } from "../../src/policies/lifetimes.ts";
import { createMediaBudget, type MediaBudgetOptions } from "../../src/policies/media-budget.ts";
import { createReadLifecycle, type ReadLifecycleOptions } from "../../src/policies/read-lifecycle.ts";
import { createSizeBound } from "../../src/policies/size-bound.ts";
import { SIZE_BOUND_DEFAULT } from "../../src/policies/size-bound-default.ts";
import { stubRepair } from "../../src/policies/stub-repair.ts";
import { anthropicProvider } from "../../src/providers/anthropic.ts";
import { createMemoryStore } from "../../src/stores/memory.ts";
import { createAnthropicMessages } from "../../src/wires/anthropic-messages/index.ts";

export const wire = createAnthropicMessages();

export interface TestKeeperOptions {
  readonly store?: Store;
  readonly mode?: Mode;
  readonly isPaused?: () => boolean;
  readonly inlineTools?: InlineTools;
  readonly lifecycle?: Partial<ReadLifecycleOptions>;
  readonly policies?: readonly Policy[];
  readonly gates?: readonly Gate[];
  readonly bound?: { readonly lines: number; readonly bytes: number };
  readonly bashEdits?: boolean;
  readonly lifetimeRules?: readonly LifetimeRule[];
  readonly whenFree?: boolean;
  readonly paying?: Partial<PayingOptions>;
  readonly boundThinking?: BoundThinking;
  readonly serverClear?: boolean;
  readonly media?: MediaBudgetOptions;
  readonly isNeverStored?: (path: string) => boolean;
  readonly idPrefix?: string;
  readonly provider?: Provider;
}

/** Nothing at depth acts for its price. */
export const NOTHING_PAYS: PayingOptions = { pays: false, attentionPrice: 0, pressureTokens: null, marks: true };

export type TestKeeper = Keeper & { readonly store: Store; readonly errors: string[]; readonly provider: Provider };

/** Where requests of a test go, by the keeper that prepares them. */
const providersByKeeper = new WeakMap<Keeper, Provider>();

/** The provider that a test's requests go to: the one the keeper was created with, else that of the wire. */
export function providerFor(keeper: Keeper, wire: Wire): Provider {
  return providersByKeeper.get(keeper) ?? providerOfWire(wire.name);
}

/** A keeper as the command line composes it, on a memory store unless another is given. Ids are counted. */
export function createTestKeeper(options: TestKeeperOptions = {}): TestKeeper {
  const store = options.store ?? createMemoryStore({});
  const errors: string[] = [];
  const bound = options.bound ?? SIZE_BOUND_DEFAULT;
  let count = 0;
  const keeper = createKeeper({
    ...builtinKeeperSettings(),
    ...(options.gates === undefined ? {} : { gates: options.gates }),
    ...(options.provider === undefined ? {} : { providers: [options.provider] }),
    mode: options.mode ?? "enforce",
    isPaused: options.isPaused ?? (() => false),
    inlineTools: options.inlineTools ?? null,
    store,
    policies: options.policies ?? [
      createDeliberate({ whenFree: options.whenFree ?? false }),
      createSizeBound({ bound, tools: {}, markerMode: "full" }),
      stubRepair,
      lifetimes,
      createReadLifecycle({
        minTokens: 100,
        stale: true,
        superseded: true,
        staleAtDepth: false,
        coldCache: true,
        markerMode: "full",
        quietSteps: 0,
        ...options.lifecycle,
      }),
      createMediaBudget(options.media ?? { bytesMax: null, imagesMax: null }),
    ],
    lifetimeRules: options.lifetimeRules ?? [],
    paying: { ...NOTHING_PAYS, ...options.paying },
    boundThinking: options.boundThinking ?? "hold",
    serverClear: options.serverClear ?? false,
    deliberateWhenFree: options.whenFree ?? false,
    evidence: { bashEdits: options.bashEdits ?? false, harnessNotices: true, shellReads: "auto" },
    bound,
    recallCommand: "ebb recall",
    isNeverStored: options.isNeverStored ?? (() => false),
    retentionMs: 30 * 86_400_000,
    newId: () => `${options.idPrefix ?? "id"}${++count}`,
    onError: (code, words) => errors.push(`${code}: ${words}`),
  });
  if (options.provider !== undefined) providersByKeeper.set(keeper, options.provider);
  return Object.assign(keeper, { store, errors, provider: options.provider ?? anthropicProvider });
}

export interface SendOptions {
  readonly atMs?: number;
  readonly sessionId?: string | null;
  readonly agentId?: string | null;
  readonly tenant?: string;
  readonly kind?: "generate" | "count";
  /** Ids of the calls in the response. */
  readonly calls?: readonly string[];
  readonly wire?: Wire;
  readonly isSubscription?: boolean;
}

/** Prepares one body as the proxy would. */
export function prepare(keeper: Keeper, body: Uint8Array, options: SendOptions = {}): Promise<Prepared> {
  return keeper.prepare({
    wire: options.wire ?? wire,
    route: { kind: options.kind ?? "generate", model: null },
    provider: providerFor(keeper, options.wire ?? wire),
    body,
    hints: {
      tenant: options.tenant ?? "local",
      sessionId: options.sessionId === undefined ? "session" : options.sessionId,
      agentId: options.agentId ?? null,
      parentAgentId: null,
    },
    userAgent: "claude-cli/2.0.75 (external, cli)",
    isSubscription: options.isSubscription ?? false,
    atMs: options.atMs ?? 1_000_000,
  });
}

/** What would reach the provider, as text; fails on a refusal. */
export async function send(keeper: Keeper, body: Uint8Array, options: SendOptions = {}): Promise<string> {
  const prepared = await prepare(keeper, body, options);
  if (prepared.kind === "refuse") throw new Error(`refused: ${prepared.words}`);
  const calls = (options.calls ?? []).map((id) => ({ id, name: "Read" }));
  await prepared.finish(
    { usage: null, messageId: null, stopReason: "end_turn", errorType: null, calls, isComplete: true },
    200,
  );
  return Buffer.concat(prepared.body).toString("utf8");
}

/** Content of the result of one call in a forwarded body. */
export function resultIn(forwarded: string, callId: string): unknown {
  const body: { messages: { content: unknown }[] } = JSON.parse(forwarded);
  for (const message of body.messages) {
    if (!Array.isArray(message.content)) continue;
    for (const block of message.content) if (block.tool_use_id === callId) return block.content;
  }
  return undefined;
}
