import type { Keeper, KeeperRequest, Prepared } from "../keeper/contract.ts";
import { createKeeper } from "../keeper/keeper.ts";
import type { KeeperSettings } from "../keeper/settings.ts";
import { assert } from "../lib/assert.ts";
import type { Provider, Wire } from "../model/ports.ts";
import type { ServerCleared } from "../model/server-clear.ts";
import type { Store } from "../model/store.ts";
import type { ResponseFacts } from "../model/usage.ts";
import type { BlockSizes } from "./block-sizes.ts";
import { serveUnder } from "./provider-cache.ts";
import { recordedPrompt } from "./recorded-prompt.ts";
import { wireNamed } from "./recorded-wire.ts";
import type { RecordedRequest } from "./recording.ts";
import { emptyCache, type InputBill, type PromptCache } from "./simulated/cache.ts";
import type { CacheEditShape } from "./simulated/cache-edits.ts";
import type { Clearing } from "./simulated/clearing.ts";
import { costAt } from "./simulated/price.ts";
import { byteCounter, type ModelTraits } from "./simulated/prompt.ts";
import type { Timed } from "./time-order.ts";

export interface ReplaySettings {
  /** A keeper's settings; the store is opened anew for each file. */
  readonly keeper: Omit<KeeperSettings, "store" | "newId">;
  readonly newStore: () => Store;
  /** Each request is read by the one that its recording names. */
  readonly wires: readonly Wire[];
  /** Where a request of a wire goes. */
  readonly providerOf: (wire: string, model: string | null) => Provider;
  readonly traitsOf: (model: string | null) => ModelTraits;
  /** The form in which the wire asks for deletions from the cache; null: it never asks. */
  readonly cacheEdits: CacheEditShape | null;
  /** Told after each request of a file, with Ebb and without. */
  readonly onRequest?: () => void;
}

type IsDropped = (messageIndex: number, blockIndex: number) => boolean;

/** What a request was billed, and what the provider tells that it cleared by itself; null where it was not asked to. */
export interface ServedBody {
  readonly bill: InputBill;
  readonly cleared: ServerCleared | null;
}

/** One way the requests of a file go: through a keeper of their own, to a simulated cache of their own. */
export interface Lane {
  readonly keeper: Keeper;
  prepare(one: Timed): Promise<Prepared>;
  /** Serves a body from the cache, and adds what it costs. `isDropped`: thinking that the provider leaves out. */
  serve(one: Timed, body: Uint8Array, isDropped?: IsDropped): ServedBody;
  finish(prepared: Prepared, one: Timed, served: ServedBody): Promise<void>;
  /** Null as soon as one request has no price on record. */
  costUsd(): number | null;
}

const HTTP_OK = 200;

/** How a lane runs, and what its ids begin with. */
export interface LaneRun {
  readonly mode: KeeperSettings["mode"];
  readonly prefix: string;
  readonly sizes: BlockSizes;
}

/** Opens a lane on an empty store and an empty cache. */
export function createLane(settings: ReplaySettings, { mode, prefix, sizes }: LaneRun): Lane {
  const keeper = openKeeper(settings, mode, prefix);
  let cache: PromptCache = emptyCache;
  let cost: number | null = 0;
  return {
    keeper,
    prepare: (one) => keeper.prepare(requestOf(one, settings)),
    serve(one, body, isDropped = () => false) {
      const { context, request, atMs } = one;
      const facts = settings.providerOf(request.wire, request.model).modelFacts(request.model);
      const { prompt, asksClearing } = recordedPrompt(request.wire, body, {
        traits: settings.traitsOf(request.model),
        counter: byteCounter,
        sizeOf: sizes.of(context) ?? undefined,
        cacheEdits: settings.cacheEdits,
        isDropped,
      });
      const served = serveUnder(facts, cache, prompt, atMs);
      cache = served.cache;
      const price = costAt({ ...served.bill, outputTokens: request.usage?.outputTokens ?? 0 }, facts, atMs);
      cost = cost === null || price === null ? null : cost + price;
      return { bill: served.bill, cleared: asksClearing ? clearedOf(prompt.clearings) : null };
    },
    async finish(prepared, { request }, served) {
      if (prepared.kind === "refuse") return;
      await prepared.finish(responseOf(request, served), HTTP_OK);
    },
    costUsd: () => cost,
  };
}

function openKeeper(settings: ReplaySettings, mode: KeeperSettings["mode"], prefix: string): Keeper {
  let count = 0;
  return createKeeper({
    ...settings.keeper,
    mode,
    store: settings.newStore(),
    newId: () => `${prefix}${++count}`,
  });
}

function requestOf(
  { context, request, atMs }: Timed,
  { wires, providerOf }: Pick<ReplaySettings, "wires" | "providerOf">,
): KeeperRequest {
  const wire = wireNamed(request.wire, wires);
  assert(wire !== null, "requests are read only where their wire is at hand");
  return {
    wire,
    route: { kind: "generate", model: request.model },
    provider: providerOf(request.wire, request.model),
    body: request.body,
    hints: {
      tenant: "replay",
      sessionId: context.sessionId,
      agentId: context.kind === "main" ? null : context.id,
      parentAgentId: null,
    },
    userAgent: null,
    atMs,
  };
}

function responseOf(request: RecordedRequest, { bill, cleared }: ServedBody): ResponseFacts {
  return {
    ...(cleared === null ? {} : { serverCleared: cleared }),
    usage: {
      inputTokens: bill.inputTokens,
      cacheReadTokens: bill.cacheReadTokens,
      cacheWriteTokens: bill.cacheWrite5mTokens + bill.cacheWrite1hTokens,
      outputTokens: request.usage?.outputTokens ?? 0,
    },
    messageId: request.messageId,
    stopReason: null,
    errorType: null,
    calls: [],
    isComplete: true,
  };
}

function clearedOf(clearings: readonly Clearing[]): ServerCleared {
  const uses = clearings.flatMap((clearing) => (clearing.kind === "tool-uses" ? [clearing] : []));
  return {
    uses: uses.reduce((sum, one) => sum + one.uses, 0),
    tokens: uses.reduce((sum, one) => sum + one.tokens, 0),
  };
}
