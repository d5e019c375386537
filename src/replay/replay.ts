import type { Keeper, Prepared, RequestPlan } from "../keeper/contract.ts";
import { createKeeper } from "../keeper/keeper.ts";
import type { KeeperSettings } from "../keeper/settings.ts";
import type { ModelFacts } from "../model/cache.ts";
import type { Decision } from "../model/decision.ts";
import type { Item } from "../model/item.ts";
import type { JsonObject } from "../model/json.ts";
import type { Wire } from "../model/ports.ts";
import type { ServerCleared } from "../model/server-clear.ts";
import type { Store } from "../model/store.ts";
import type { Usage } from "../model/usage.ts";
import { type BlockSizes, createBlockSizes } from "./block-sizes.ts";
import { declaredEdits } from "./declared-edits.ts";
import { droppedThinking } from "./dropped-thinking.ts";
import { createLawChecker } from "./law-checker.ts";
import type { RecordedContext, RecordedRequest, Recording } from "./recording.ts";
import { emptyCache, type InputBill, type PromptCache, serve } from "./simulated/cache.ts";
import type { CacheEditShape } from "./simulated/cache-edits.ts";
import type { Clearing } from "./simulated/clearing.ts";
import { costAt } from "./simulated/price.ts";
import { byteCounter, type ModelTraits, promptOf } from "./simulated/prompt.ts";
import { inTimeOrder, type Timed } from "./time-order.ts";

export interface ReplaySettings {
  /** A keeper's settings; the store is opened anew for each file. */
  readonly keeper: Omit<KeeperSettings, "store" | "newId">;
  readonly newStore: () => Store;
  readonly wire: Wire;
  readonly traitsOf: (model: string | null) => ModelTraits;
  /** The form in which the wire asks for deletions from the cache; null: it never asks. */
  readonly cacheEdits: CacheEditShape | null;
  /** Told after each request of a file. */
  readonly onRequest?: (done: number, total: number) => void;
}

/** One request of a recording that went through the keeper. */
export interface ReplayedRequest {
  /** From 1, over all contexts of the file in time order. */
  readonly number: number;
  readonly atMs: number;
  readonly context: RecordedContext;
  /** False for requests before the last client compaction of the context. */
  readonly isLive: boolean;
  readonly plan: RequestPlan | null;
  readonly problem: string | null;
  readonly bill: InputBill;
  readonly baselineBill: InputBill;
  readonly violations: readonly string[];
}

/** What a file's replay came to. Tokens of bills are the simulated provider's; all others are estimates. */
export interface FileReplay {
  readonly file: string;
  readonly requests: readonly ReplayedRequest[];
  readonly keeper: Keeper;
  readonly baseline: Keeper;
  readonly costUsd: number | null;
  readonly baselineCostUsd: number | null;
}

const HTTP_OK = 200;

/**
 * Sends every request of a recording, in order and at its recorded time, through a keeper and a simulated provider
 * cache, and the same bodies unedited through another. `last` stops after that many requests.
 */
export async function replayRecording(
  recording: Recording,
  settings: ReplaySettings,
  last = Number.POSITIVE_INFINITY,
): Promise<FileReplay> {
  const keeper = openKeeper(settings, settings.keeper.mode, "r");
  const baseline = openKeeper(settings, "off", "b");
  const timed = inTimeOrder(recording.contexts).slice(0, last);
  const run = createRun(settings, keeper, baseline);
  const requests: ReplayedRequest[] = [];
  for (const one of timed) {
    requests.push(await run.replay(one, requests.length + 1));
    settings.onRequest?.(requests.length, timed.length);
  }
  await keeper.close();
  await baseline.close();
  return { file: recording.file, requests, keeper, baseline, ...run.costs() };
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

function createRun(settings: ReplaySettings, keeper: Keeper, baseline: Keeper) {
  const sizes = createBlockSizes({ counter: settings.keeper.tokens, traitsOf: settings.traitsOf });
  const laws = createLawChecker();
  let cache: PromptCache = emptyCache;
  let baselineCache: PromptCache = emptyCache;
  let cost: number | null = 0;
  let baselineCost: number | null = 0;

  async function replay(one: Timed, number: number): Promise<ReplayedRequest> {
    const { body } = one.request;
    const prepared = await prepare(keeper, one, body, settings.wire);
    const forwarded = prepared.kind === "forward" ? Buffer.concat(prepared.body) : Buffer.alloc(0);
    const plain = await prepare(baseline, one, body, settings.wire);
    const before = bill(baselineCache, body, one, settings, sizes);
    baselineCache = before.cache;
    await finish(plain, before, one.request);
    const after =
      prepared.kind === "forward" && prepared.isEdited
        ? bill(cache, forwarded, one, settings, sizes, droppedThinking(prepared.plan))
        : bill(cache, body, one, settings, sizes);
    cache = after.cache;
    const facts = settings.keeper.provider.modelFacts(one.request.model);
    cost = sum(cost, priceOf(after.bill, one, facts));
    baselineCost = sum(baselineCost, priceOf(before.bill, one, facts));
    if (prepared.kind === "refuse") {
      return {
        number,
        ...placeOf(one),
        plan: null,
        problem: prepared.words,
        bill: after.bill,
        baselineBill: before.bill,
        violations: [],
      };
    }
    const violations = await lawViolations(laws, keeper, prepared, body, forwarded, one);
    await finish(prepared, after, one.request);
    const { plan, problem } = prepared;
    return {
      number,
      ...placeOf(one),
      plan,
      problem,
      bill: after.bill,
      baselineBill: before.bill,
      violations,
    };
  }

  return { replay, costs: () => ({ costUsd: cost, baselineCostUsd: baselineCost }) };
}

function placeOf({ atMs, context, request }: Timed): Pick<ReplayedRequest, "atMs" | "context" | "isLive"> {
  return { atMs, context, isLive: request.isLive };
}

function prepare(keeper: Keeper, { context, atMs }: Timed, body: Uint8Array, wire: Wire): Promise<Prepared> {
  return keeper.prepare({
    wire,
    route: { kind: "generate" },
    body,
    hints: {
      tenant: "replay",
      sessionId: context.sessionId,
      agentId: context.kind === "main" ? null : context.id,
      parentAgentId: null,
    },
    userAgent: null,
    atMs,
  });
}

/** `cleared`: what the provider tells that it cleared by itself; null where it was not asked to. */
async function finish(
  prepared: Prepared,
  { bill, cleared }: { readonly bill: InputBill; readonly cleared: ServerCleared | null },
  request: RecordedRequest,
): Promise<void> {
  if (prepared.kind === "refuse") return;
  await prepared.finish(
    {
      usage: toUsage(bill, request),
      ...(cleared === null ? {} : { serverCleared: cleared }),
      messageId: request.messageId,
      stopReason: null,
      errorType: null,
      calls: [],
      isComplete: true,
    },
    HTTP_OK,
  );
}

function bill(
  cache: PromptCache,
  body: Uint8Array,
  { context, request, atMs }: Timed,
  settings: ReplaySettings,
  sizes: BlockSizes,
  isDropped: (messageIndex: number, blockIndex: number) => boolean = () => false,
) {
  const parsed: JsonObject = JSON.parse(Buffer.from(body).toString("utf8"));
  const facts = settings.keeper.provider.modelFacts(request.model);
  const prompt = promptOf(parsed, {
    traits: settings.traitsOf(request.model),
    counter: byteCounter,
    sizeOf: sizes.of(context) ?? undefined,
    cacheEdits: settings.cacheEdits,
    isDropped,
  });
  const cleared = "context_management" in parsed ? clearedOf(prompt.clearings) : null;
  return { ...serve(cache, prompt, { atMs, tokensMin: facts.cacheTokensMin }), cleared };
}

function clearedOf(clearings: readonly Clearing[]): ServerCleared {
  const uses = clearings.flatMap((clearing) => (clearing.kind === "tool-uses" ? [clearing] : []));
  return {
    uses: uses.reduce((sum, one) => sum + one.uses, 0),
    tokens: uses.reduce((sum, one) => sum + one.tokens, 0),
  };
}

async function lawViolations(
  laws: ReturnType<typeof createLawChecker>,
  keeper: Keeper,
  prepared: Extract<Prepared, { kind: "forward" }>,
  original: Uint8Array,
  forwarded: Uint8Array,
  { atMs }: Timed,
): Promise<readonly string[]> {
  const conversation = prepared.plan?.lineage ?? "unknown";
  const decisions = prepared.plan?.inForce ?? [];
  const checked = laws.check({
    conversation,
    original,
    forwarded,
    declared: callIdsOf(prepared.plan, prepared.plan?.fresh ?? []),
    edits: prepared.plan === null ? [] : declaredEdits(prepared.plan.transcript, prepared.plan.edits),
    insertions: callIdsOf(
      prepared.plan,
      decisions.filter((decision) => decision.reason === "stub_repair"),
    ),
  });
  const violations = [...checked.violations];
  const fresh = new Map((prepared.plan?.fresh ?? []).map((decision) => [decision.marker, decision]));
  for (const replaced of checked.replaced) {
    const decision = fresh.get(replaced.marker);
    if (decision === undefined) continue;
    if (!(await isRecallable(keeper, decision, Buffer.from(replaced.original), atMs))) {
      violations.push(`recoverable: ${decision.address} does not return the original`);
    }
  }
  for (const { marker, bytes } of checked.media) {
    const decision = fresh.get(marker);
    if (decision === undefined || (await isRecallable(keeper, decision, bytes, atMs))) continue;
    violations.push(`recoverable: ${decision.address} does not return the attachment`);
  }
  return violations;
}

function callIdsOf(plan: RequestPlan | null, decisions: readonly Decision[]): ReadonlySet<string> {
  const keys = new Set(decisions.map((decision) => decision.itemKey));
  const items = plan?.transcript.items.filter((item) => keys.has(item.key)) ?? [];
  return new Set(items.flatMap(nameOf));
}

/** Results by their call, media as the law checker names them. */
function nameOf(item: Item): readonly string[] {
  if (item.kind === "result") return [item.callId];
  return item.kind === "media" ? [`${item.callId ?? "message"}#${item.digest}`] : [];
}

async function isRecallable(keeper: Keeper, decision: Decision, original: Uint8Array, atMs: number): Promise<boolean> {
  const answer = await keeper.recall({
    tenant: "replay",
    id: decision.address,
    range: null,
    pattern: null,
    ignoreCase: false,
    chars: null,
    sessionId: null,
    by: "user",
    atMs,
  });
  return answer.ok && Buffer.from(answer.raw).equals(original);
}

function priceOf(bill: InputBill, { request, atMs }: Timed, facts: ModelFacts): number | null {
  return costAt({ ...bill, outputTokens: request.usage?.outputTokens ?? 0 }, facts, atMs);
}

function sum(left: number | null, right: number | null): number | null {
  return left === null || right === null ? null : left + right;
}

function toUsage(bill: InputBill, request: RecordedRequest): Usage {
  return {
    inputTokens: bill.inputTokens,
    cacheReadTokens: bill.cacheReadTokens,
    cacheWriteTokens: bill.cacheWrite5mTokens + bill.cacheWrite1hTokens,
    outputTokens: request.usage?.outputTokens ?? 0,
  };
}
