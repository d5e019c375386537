import { wires } from "../../../src/builtins.ts";
import type { Keeper, Prepared } from "../../../src/keeper/contract.ts";
import type { KeeperSettings } from "../../../src/keeper/settings.ts";
import type { ModelFacts } from "../../../src/model/cache.ts";
import type { Provider, Wire } from "../../../src/model/ports.ts";
import type { Store } from "../../../src/model/store.ts";
import { MEDIA_FACTS } from "../../../src/providers/media-facts.ts";
import type { WireName } from "../../support/wires/writers.ts";
import { keeperSettings, realWorld, type Tally, TENANT } from "../world.ts";
import type { WireSession } from "./moves.ts";
import { type WireRequest, wireRequestsOf } from "./play.ts";

/** What a law is tried on, on one wire; a mutant may replace each part. */
export interface WireWorld {
  readonly name: WireName;
  readonly wire: Wire;
  createStore(): Store;
  createKeeper(settings: KeeperSettings): Keeper;
  adjust(settings: KeeperSettings): KeeperSettings;
}

/** Ebb as it is, on the wire of this name. */
export function worldOn(name: WireName): WireWorld {
  const wire = wires.find((one) => one.name === name);
  if (wire === undefined) throw new Error(`there is no wire ${name}`);
  const { createStore, createKeeper, adjust } = realWorld;
  return { name, wire, createStore, createKeeper, adjust };
}

/** One request that was answered, and what Ebb forwarded for it. */
export interface WireHandled {
  readonly request: WireRequest;
  readonly prepared: Prepared;
  /** Null for a refusal. */
  readonly forwarded: Uint8Array | null;
  readonly keeper: Keeper;
  readonly store: Store;
}

/** Looks at one request in the moment in which its body leaves; answers violations in words. */
export type WireWatcher = (handled: WireHandled, session: WireSession) => Promise<readonly string[]>;

/** Plays a session through a keeper; violations in the order in which they were seen. */
export async function runWireSession(
  session: WireSession,
  world: WireWorld,
  watchers: readonly WireWatcher[],
  tally: Tally | null = null,
): Promise<readonly string[]> {
  const store = world.createStore();
  const open = () => world.createKeeper(wireSettings(session, store, world));
  const violations: string[] = [];
  let keeper = open();
  const fresh: string[] = [];
  const requests = wireRequestsOf(session, world.name);
  for (const [index, request] of requests.entries()) {
    if (request.isAfterRestart) {
      await keeper.close();
      keeper = open();
    }
    const prepared = await prepareOn(keeper, request, session, world.wire);
    const forwarded = prepared.kind === "refuse" ? null : Buffer.concat(prepared.body);
    for (const watch of watchers) {
      const seen = await watch({ request, prepared, forwarded, keeper, store }, session);
      violations.push(...seen.map((words) => `request ${index}: ${words}`));
    }
    if (prepared.kind === "refuse") continue;
    if (request.kind === "generate") fresh.push(...(prepared.plan?.fresh ?? []).map(({ itemKey }) => itemKey));
    await end(prepared, request);
  }
  await keeper.close();
  await store.close();
  if (tally !== null) note(tally, requests.length, fresh);
  return violations;
}

function note(tally: Tally, requests: number, fresh: readonly string[]): void {
  tally.sessions++;
  tally.requests += requests;
  tally.releases += fresh.length;
  tally.attachments += fresh.filter((key) => key.startsWith("media:")).length;
  if (fresh.length > 0) tally.withRelease++;
}

/** The settings of the laws, for this session's own. */
export function wireSettings({ setting }: WireSession, store: Store, world: WireWorld): KeeperSettings {
  const own = { ...setting, pays: false, ttl: null, model: 0, isTabbed: false, hasShell: true } as const;
  return world.adjust(keeperSettings(own, store, realWorld));
}

/** One request as the proxy hands it over. */
export function prepareOn(
  keeper: Keeper,
  request: WireRequest,
  { isBinding }: WireSession,
  wire: Wire,
): Promise<Prepared> {
  return keeper.prepare({
    wire,
    route: { kind: request.kind, model: wire.name === "gemini" ? "some-model" : null },
    provider: isBinding ? BINDING : UNBOUND,
    body: request.body,
    hints: { tenant: TENANT, sessionId: request.sessionId, agentId: null, parentAgentId: null },
    userAgent: "pi-coding-agent/0.80",
    atMs: request.atMs,
  });
}

async function end(prepared: Extract<Prepared, { kind: "forward" }>, { ending }: WireRequest): Promise<void> {
  if (ending === null) return;
  const { status, calls } = ending;
  const isOk = status === 200;
  const usage = { inputTokens: 9, cacheReadTokens: 5, cacheWriteTokens: 0, outputTokens: 3 };
  const errorType = isOk ? null : "overloaded";
  await prepared.finish(
    { usage: isOk ? usage : null, messageId: null, stopReason: null, errorType, calls, isComplete: isOk },
    status,
  );
}

/** As long as some formats state by themselves, so that all of them state the same. */
const TTL_MS = 86_400_000;

const FACTS: ModelFacts = {
  isKnown: true,
  thinkingBinding: "none",
  keepsThinking: true,
  cache: { kind: "prefix", stepTokens: 1 },
  ttlDefaultMs: TTL_MS,
  cacheTokensMin: 0,
  prices: [],
  windowTokens: null,
  deletesInCache: false,
  media: MEDIA_FACTS,
};

/** One provider for all formats: what differs is the format alone. */
const UNBOUND: Provider = providerWith(FACTS);
const BINDING: Provider = providerWith({ ...FACTS, thinkingBinding: "prefix" });

function providerWith(facts: ModelFacts): Provider {
  return { name: "anyone", originDefault: "http://127.0.0.1", modelFacts: () => facts };
}
