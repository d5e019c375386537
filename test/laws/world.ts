import { builtinKeeperSettings } from "../../src/builtin-settings.ts";
import type { Keeper, Prepared } from "../../src/keeper/contract.ts";
import { createKeeper } from "../../src/keeper/keeper.ts";
import type { KeeperSettings } from "../../src/keeper/settings.ts";
import { createTokenCounter } from "../../src/keeper/token-counter.ts";
import type { Provider, Wire } from "../../src/model/ports.ts";
import type { Store } from "../../src/model/store.ts";
import { lifetimes } from "../../src/policies/lifetimes.ts";
import { createMediaBudget } from "../../src/policies/media-budget.ts";
import { createReadLifecycle } from "../../src/policies/read-lifecycle.ts";
import { createSizeBound } from "../../src/policies/size-bound.ts";
import { stubRepair } from "../../src/policies/stub-repair.ts";
import { anthropicProvider } from "../../src/providers/anthropic.ts";
import { createMemoryStore } from "../../src/stores/memory.ts";
import { createAnthropicMessages } from "../../src/wires/anthropic-messages/index.ts";
import type { Session, Setting } from "./client/moves.ts";
import { type ClientRequest, requestsOf } from "./client/session-play.ts";

/** Small enough that ordinary commands of a session pass it. */
export const BOUND = { lines: 26, bytes: 3_000 } as const;
/** So few that some sessions pass it. */
export const IMAGES_MAX = 2;
export const TENANT = "local";
export const RECALL_COMMAND = "ebb recall";

/** What a law is tried on: the parts of Ebb, each of which a mutant may replace. */
export interface World {
  readonly wire: Wire;
  /** Where requests go. */
  readonly provider: Provider;
  createStore(): Store;
  createKeeper(settings: KeeperSettings): Keeper;
  /** Last change of the settings. */
  adjust(settings: KeeperSettings): KeeperSettings;
}

/** Ebb as it is. */
export const realWorld: World = {
  wire: createAnthropicMessages(),
  provider: anthropicProvider,
  createStore: () => createMemoryStore({}),
  createKeeper,
  adjust: (settings) => settings,
};

/** One request that was answered, and what Ebb forwarded for it. */
export interface Handled {
  readonly request: ClientRequest;
  readonly prepared: Prepared;
  /** Null for a refusal. */
  readonly forwarded: Uint8Array | null;
  readonly keeper: Keeper;
  readonly store: Store;
}

/** Looks at one request in the moment in which its body leaves; answers violations in words. */
export type Watcher = (handled: Handled, session: Session) => readonly string[] | Promise<readonly string[]>;

/** Counts of what a run of sessions contained. */
export interface Tally {
  sessions: number;
  withRelease: number;
  requests: number;
  releases: number;
  /** Those of them that were images. */
  attachments: number;
}

export function newTally(): Tally {
  return { sessions: 0, withRelease: 0, requests: 0, releases: 0, attachments: 0 };
}

/** Plays a session through a world; violations in the order in which they were seen. */
export async function runSession(
  session: Session,
  world: World,
  watchers: readonly Watcher[],
  tally: Tally | null = null,
): Promise<readonly string[]> {
  const store = world.createStore();
  const violations: string[] = [];
  let keeper = world.createKeeper(keeperSettings(session.setting, store, world));
  let releases = 0;
  let attachments = 0;
  const requests = requestsOf(session);
  for (const [index, request] of requests.entries()) {
    if (request.isAfterRestart) {
      await keeper.close();
      keeper = world.createKeeper(keeperSettings(session.setting, store, world));
    }
    const prepared = await prepare(keeper, request, world);
    const forwarded = prepared.kind === "refuse" ? null : Buffer.concat(prepared.body);
    const handled: Handled = { request, prepared, forwarded, keeper, store };
    for (const watch of watchers) {
      violations.push(...(await watch(handled, session)).map((words) => `request ${index}: ${words}`));
    }
    if (prepared.kind === "forward") {
      const fresh = request.kind === "generate" ? (prepared.plan?.fresh ?? []) : [];
      releases += fresh.length;
      attachments += fresh.filter(({ itemKey }) => itemKey.startsWith("media:")).length;
      await end(prepared, request);
    }
  }
  await keeper.close();
  await store.close();
  if (tally !== null) note(tally, requests.length, releases, attachments);
  return violations;
}

function note(tally: Tally, requests: number, releases: number, attachments: number): void {
  tally.attachments += attachments;
  tally.sessions++;
  tally.requests += requests;
  tally.releases += releases;
  if (releases > 0) tally.withRelease++;
}

/** One request as the proxy hands it over. */
export function prepare(
  keeper: Keeper,
  request: ClientRequest,
  { wire, provider }: Pick<World, "wire" | "provider">,
): Promise<Prepared> {
  return keeper.prepare({
    wire,
    provider,
    route: { kind: request.kind, model: null },
    body: request.body,
    hints: { tenant: TENANT, sessionId: request.sessionId, agentId: request.agentId, parentAgentId: null },
    userAgent: "claude-cli/2.0.75 (external, cli)",
    atMs: request.atMs,
  });
}

/** The response's end as the client caused it; some never come. */
export async function end(prepared: Extract<Prepared, { kind: "forward" }>, request: ClientRequest): Promise<void> {
  if (request.ending === null) return;
  const { status, calls } = request.ending;
  const usage = { inputTokens: 9, cacheReadTokens: 5, cacheWriteTokens: 4, outputTokens: 3 };
  const isOk = status === 200;
  const errorType = isOk ? null : "overloaded_error";
  await prepared.finish(
    { usage: isOk ? usage : null, messageId: null, stopReason: null, errorType, calls, isComplete: isOk },
    status,
  );
}

/** One counter for all: it remembers nothing. */
const tokens = createTokenCounter();

export function keeperSettings(setting: Setting, store: Store, world: World): KeeperSettings {
  const { markerMode, staleAtDepth, quietSteps, pays } = setting;
  return world.adjust({
    ...builtinKeeperSettings(),
    tokens,
    mode: "enforce",
    isPaused: () => false,
    inlineTools: null,
    store,
    policies: [
      createSizeBound({ bound: BOUND, tools: {}, markerMode }),
      stubRepair,
      createReadLifecycle({
        minTokens: 100,
        stale: true,
        superseded: true,
        staleAtDepth,
        coldCache: true,
        markerMode,
        quietSteps,
      }),
      createMediaBudget({ bytesMax: null, imagesMax: IMAGES_MAX }),
      lifetimes,
    ],
    lifetimeRules: [{ tools: null, kinds: null, fitsPath: null, media: "image", turns: null, steps: 2 }],
    paying: { pays, attentionPrice: 0, pressureTokens: null, marks: true },
    boundThinking: "hold",
    serverClear: false,
    deliberateWhenFree: false,
    evidence: { bashEdits: false, harnessNotices: true, shellReads: "auto" },
    bound: BOUND,
    recallCommand: RECALL_COMMAND,
    isNeverStored: () => false,
    retentionMs: 30 * 86_400_000,
    onError: () => undefined,
  });
}
