import { divergenceOf } from "../engine/divergence.ts";
import type { Moment } from "../model/decision.ts";
import type { Item, ItemKey } from "../model/item.ts";
import type { WireSource } from "../model/ports.ts";
import type { Original } from "../model/store.ts";
import type { Accounting } from "./accounting.ts";
import type { Draft, DraftInput } from "./draft.ts";
import { wordsOf } from "./error-words.ts";
import { createLock } from "./lock.ts";
import { changeOriginals } from "./seen-changes.ts";
import type { KeeperSettings } from "./settings.ts";
import { goneFrom } from "./signed-thinking.ts";
import type { TokenMemo } from "./token-memo.ts";

/** Work that follows a request off the hot path: originals of what was acquired, and token figures. */
export interface Aftermath {
  enqueue(input: DraftInput, draft: Draft, accounting: Accounting): void;
  /** Resolves when the backlog is within its bound; a client that outruns the disk waits here. */
  whenRoomy(): Promise<void>;
  whenIdle(): Promise<void>;
}

/** Bodies held in memory for work still to do. */
const BACKLOG_BYTES_MAX = 128 * 1024 * 1024;
const ORIGINALS_BATCH_BYTES = 4 * 1024 * 1024;

/** An idle queue of work behind requests, one request at a time. */
export function createAftermath(settings: KeeperSettings, tokens: TokenMemo): Aftermath {
  const lock = createLock();
  let backlogBytes = 0;
  let last: Promise<void> = Promise.resolve();

  async function work(input: DraftInput, draft: Draft, accounting: Accounting): Promise<void> {
    const steps = [
      () => storeOriginals(input, settings, report),
      () => countTokens(input, draft, tokens.under(input.request.provider), accounting),
    ];
    for (const step of steps) await step().catch((error: unknown) => report("aftermath_failed", wordsOf(error)));
    backlogBytes -= input.request.body.byteLength;

    function report(code: string, words: string): void {
      accounting.noteError(input.request.atMs, code, words);
      settings.onError(code, words);
    }
  }

  return {
    enqueue(input, draft, accounting) {
      backlogBytes += input.request.body.byteLength;
      last = lock.run(() => work(input, draft, accounting));
    },
    whenRoomy: async () => {
      if (backlogBytes > BACKLOG_BYTES_MAX) await last;
    },
    whenIdle: () => last,
  };
}

/** What the disk cap refuses is not offered again until the store made room. */
async function storeOriginals(
  input: DraftInput,
  settings: KeeperSettings,
  report: (code: string, words: string) => void,
): Promise<void> {
  const { source, request } = input;
  const { lineage } = input.placement;
  let batch: Original[] = [];
  let bytes = 0;
  for (const item of source.transcript.items) {
    if (!isStorable(item, lineage.unstorable) || lineage.stored.has(item.digest)) continue;
    lineage.stored.add(item.digest);
    batch.push({ digest: item.digest, bytes: source.originalOf(item) });
    bytes += item.bytes;
    if (bytes < ORIGINALS_BATCH_BYTES) continue;
    await put(batch);
    batch = [];
    bytes = 0;
  }
  const texts = changeOriginals(input);
  for (const { digest } of texts) lineage.stored.add(digest);
  batch.push(...texts);
  if (batch.length > 0) await put(batch);

  async function put(originals: readonly Original[]): Promise<void> {
    await yieldToLoop();
    const isKept = await settings.store
      .putOriginals(lineage.tenant, originals, request.atMs)
      .catch((error: unknown) => {
        for (const original of originals) lineage.stored.delete(original.digest);
        throw error;
      });
    if (!isKept) report("store_full", "the disk cap is reached: new originals are not kept and their items are held");
  }
}

function isStorable(item: Item, unstorable: ReadonlySet<ItemKey>): boolean {
  return (item.kind === "result" || item.kind === "media") && !unstorable.has(item.key);
}

async function countTokens(
  { source, understood, placement }: DraftInput,
  draft: Draft,
  tokens: TokenMemo,
  accounting: Accounting,
): Promise<void> {
  const { transcript } = source;
  const released = new Map([...draft.standing, ...actingOf(draft)].map((decision) => [decision.itemKey, decision]));
  const stale = staleKeys(understood.reads);
  const isGone = goneFrom(draft);
  let resident = overheadTokens(source);
  const counted = { stale: 0, avoided: 0, recalledItems: 0, recalledTokens: 0 };
  for (const [index, item] of transcript.items.entries()) {
    if (tokens.known(item.digest) === null) await yieldToLoop();
    if (isGone(item)) continue;
    const decision = released.get(item.key);
    const count = decision?.markerTokens ?? tokens.tokensOf(item, source);
    resident += count;
    if (stale.has(item.key)) {
      if (decision === undefined) counted.stale += count;
      else counted.avoided += Math.max(0, decision.originalTokens - count);
    }
    if (index >= placement.sentCount && item.kind === "result" && draft.view.recalledFrom(item) !== null) {
      counted.recalledItems += 1;
      counted.recalledTokens += count;
    }
  }
  accounting.noteWindow({ resident, ...counted });
  accounting.noteReanchored(reanchoredTokens({ source, understood, placement }, draft, tokens));
}

/** Moments at which what the provider holds is written again. */
const REWRITING: ReadonlySet<Moment> = new Set(["forced", "limit", "deliberate"]);

/** What stood in the provider's cache behind the first changed item, and goes out as it stood. */
function reanchoredTokens(
  { source, understood, placement }: Pick<DraftInput, "source" | "understood" | "placement">,
  draft: Draft,
  tokens: TokenMemo,
): number {
  const decided = [...actingOf(draft), ...draft.restored].filter(({ moment }) => REWRITING.has(moment));
  const changed = [...decided, ...(draft.clearing.isPriced ? draft.clearing.fresh : [])];
  if (changed.length === 0) return 0;
  const { keys } = understood.chain;
  const cachedCount = Math.min(placement.sentCount, placement.cachedCount ?? placement.sentCount);
  const behind = new Set(keys.slice(divergenceOf(keys, cachedCount, changed), cachedCount));
  for (const { itemKey } of changed) behind.delete(itemKey);
  const markers = new Map(draft.standing.map(({ itemKey, markerTokens }) => [itemKey, markerTokens]));
  let count = 0;
  for (const item of source.transcript.items) {
    if (behind.has(item.key)) count += markers.get(item.key) ?? tokens.tokensOf(item, source);
  }
  return count;
}

function actingOf(draft: Draft): Draft["fresh"] {
  return draft.slices === draft.slicesBefore ? [] : draft.fresh;
}

function staleKeys(reads: DraftInput["understood"]["reads"]): ReadonlySet<ItemKey> {
  const keys = new Set<ItemKey>();
  for (const read of reads.values()) if (read.stale !== null || read.superseded !== null) keys.add(read.resultKey);
  return keys;
}

const BYTES_PER_TOKEN = 4;

function overheadTokens(source: WireSource): number {
  return Math.ceil(source.transcript.header.overheadBytes / BYTES_PER_TOKEN);
}

function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
