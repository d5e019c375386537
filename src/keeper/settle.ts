import { placesOf } from "../engine/block-counts.ts";
import {
  type CacheMarks,
  type EntryPlace,
  entriesWithin,
  entryFoundFrom,
  liveEntries,
} from "../engine/cache-entries.ts";
import { cacheLifetimeOf, cachesByItself, lookbackOf } from "../engine/cache-lifetime.ts";
import { isReplacing } from "../engine/script.ts";
import { foldLedger } from "../engine/standing.ts";
import { EbbError } from "../lib/ebb-error.ts";
import { addressOf } from "../lib/hash.ts";
import type { CachePlace, ModelFacts } from "../model/cache.ts";
import type { Decision } from "../model/decision.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { Breakpoint } from "../model/transcript.ts";
import type { View } from "../model/view.ts";
import { bindingsOf } from "./bindings.ts";
import { chainRows } from "./chain-rows.ts";
import { type Draft, type DraftInput, withoutNew } from "./draft.ts";
import { expansionEntries } from "./expansion-entries.ts";
import { type Expectation, expectUsage, withPrediction } from "./expectation.ts";
import { newItemRecords } from "./item-records.ts";
import { recordsOf } from "./lineage.ts";
import { seenChanges } from "./seen-changes.ts";
import { changedByClearing } from "./server-clear.ts";
import type { KeeperSettings } from "./settings.ts";
import { thinkingEntries } from "./signed-thinking.ts";
import { hasUnseenAnswers } from "./unseen.ts";

/** How a draft was recorded. */
export type Settled =
  | { readonly kind: "recorded"; readonly acquired: number; readonly expected: Expectation | null }
  /** Another writer was first. Nothing was written. */
  | { readonly kind: "conflict" };

/** Ledger entries waiting in memory while the store refuses; beyond, the lineage starts anew in the store. */
const PENDING_MAX = 20_000;

/**
 * Makes a draft durable whose originals were read back. Throws `EbbError` when the store fails; then no decision of the draft
 * may act.
 */
export async function settleDraft(
  input: DraftInput,
  draft: Draft,
  requestId: string,
  settings: KeeperSettings,
): Promise<Settled> {
  const acting = settings.mode === "enforce" ? draft.fresh : [];
  const { lineage } = input.placement;
  const drafted = entriesOf(input, draft, acting, requestId, settings);
  const expected = expectUsage(input, draft, drafted);
  const entries = withPrediction(drafted, expected);
  const outcome = await settings.store.commit({
    tenant: lineage.tenant,
    lineage: lineage.id,
    expectedSeq: lineage.seq,
    atMs: input.request.atMs,
    entries: [...lineage.pending, ...entries],
    chain: chainRows(input.understood.chain, lineage.chainStored),
    originals: [],
  });
  if (!outcome.ok) {
    if (outcome.kind === "conflict") return { kind: "conflict" };
    throw new EbbError("store_full", `the store's cap of ${outcome.bytesMax} bytes is reached`);
  }
  remember(input, entries);
  lineage.seq = outcome.seq;
  lineage.pending = [];
  lineage.chainStored = input.understood.chain.hashes.length;
  for (const decision of acting) lineage.stored.add(decision.originalDigest);
  return { kind: "recorded", acquired: entries.filter((entry) => entry.type === "item-acquired").length, expected };
}

/** Keeps in memory what the store did not take, without any new decision, so that the lineage can go on. */
export function rememberUnrecorded(
  input: DraftInput,
  draft: Draft | null,
  requestId: string,
  settings: KeeperSettings,
): void {
  const entries =
    draft === null
      ? [...expansionEntries(input), requestSent(input, requestId, null, settings)]
      : entriesOf(input, withoutNew(draft), [], requestId, settings);
  const { lineage } = input.placement;
  remember(input, entries);
  if (lineage.pending.length < PENDING_MAX) lineage.pending = [...lineage.pending, ...entries];
}

function remember(input: DraftInput, entries: readonly LedgerEntry[]): void {
  const { lineage } = input.placement;
  lineage.standing = foldLedger(lineage.standing, recordsOf(entries, lineage.standing.seq, input.request.atMs));
  lineage.chain = input.understood.chain;
  for (const entry of entries) {
    if (entry.type === "item-acquired" && !entry.item.isStored) lineage.unstorable.add(entry.item.key);
  }
}

function entriesOf(
  input: DraftInput,
  draft: Draft,
  acting: readonly Decision[],
  requestId: string,
  settings: KeeperSettings,
): readonly LedgerEntry[] {
  const { standing } = input.placement.lineage;
  const { acquired } = standing;
  const known = input.placement.known.standing.acquired;
  const items = newItemRecords(draft.view, { acquired, known }, settings.isNeverStored);
  return [
    ...items.map((item) => ({ type: "item-acquired", item }) as const),
    ...bindingsOf(items, standing, draft.clock),
    ...echoes(draft, input),
    ...seenChanges(input, draft, settings.isNeverStored).map((change) => ({ type: "change-seen", change }) as const),
    ...draft.regrets.map((regret) => ({ type: "item-regretted", regret }) as const),
    ...expiries(draft, input),
    ...acting.map((decision) => ({ type: "item-released", decision }) as const),
    ...(settings.mode === "enforce" ? draft.restored : []).map(
      (restoration) => ({ type: "item-restored", restoration }) as const,
    ),
    ...draft.editEntries,
    ...thinkingEntries(draft.extras, draft.clock),
    ...expansionEntries(input),
    requestSent(input, requestId, draft, settings),
  ];
}

/** Lifetimes that this request found over; once recorded they stay over. */
function expiries({ view }: Draft, { placement, source }: DraftInput): readonly LedgerEntry[] {
  const { expired } = placement.lineage.standing.deliberate;
  return source.transcript.items.flatMap(({ key }): readonly LedgerEntry[] => {
    const words = view.expiryOf(key);
    if (words === null || expired.has(key)) return [];
    return [{ type: "item-expired", itemKey: key, address: addressOf(key), words }];
  });
}

/** Results that came in as markers of Ebb, once each. */
function echoes({ view }: Draft, { placement, source }: DraftInput): readonly LedgerEntry[] {
  const known = placement.lineage.standing.echoes;
  return source.transcript.items.flatMap(({ key }): readonly LedgerEntry[] => {
    const address = view.echoOf(key);
    return address === null || known.has(key) ? [] : [{ type: "marker-echoed", itemKey: key, address }];
  });
}

function requestSent(
  input: DraftInput,
  requestId: string,
  draft: Draft | null,
  { mode, isPaused }: Pick<KeeperSettings, "mode" | "isPaused">,
): LedgerEntry {
  const { transcript } = input.source;
  const { header } = transcript;
  const { standing } = input.placement.lineage;
  const { provider } = input.request;
  const facts = provider.modelFacts(header.model);
  const counts = input.blockCounts;
  const places = placesIn(input, draft, facts);
  const sameCount = draft === null || mode !== "enforce" ? null : sameCountOf(input, draft);
  const thoughtCount = transcript.items.findLastIndex(({ kind }) => kind === "thinking") + 1;
  return {
    type: "request-sent",
    requestId,
    model: header.model,
    provider: provider.name,
    cacheKey: header.cacheKey,
    cacheTtlMs: cacheLifetimeOf(header, facts),
    itemCount: input.understood.chain.keys.length,
    breakpoints: places,
    ...(sameCount === null ? {} : { sameCount }),
    ...(facts.keepsThinking
      ? {}
      : { found: foundBy(input, { places, blockCounts: counts }, sameCount, lookbackOf(facts)) }),
    turn: draft?.clock.turn ?? standing.turnsBefore + input.understood.observations.turns,
    step: draft?.clock.step ?? standing.stepsBefore + input.understood.observations.steps,
    isBound: draft !== null && isBound(draft.view),
    ...(thoughtCount === 0 ? {} : { thoughtCount }),
    isActing: mode === "enforce",
    ...(mode === "off" && isPaused() ? { isPaused: true } : {}),
    ...(hasUnseenAnswers(input) ? { hasUnseen: true } : {}),
  };
}

/** Where the entries end that such breakpoints read of what the lineage left. */
function foundBy(
  { source, placement, request }: DraftInput,
  { places, blockCounts }: CacheMarks,
  sameCount: number | null,
  lookbackBlocks: number,
): readonly EntryPlace[] {
  const { model, cacheKey } = source.transcript.header;
  const live = liveEntries(placement.lineage.standing.entries, { model, cacheKey }, request.atMs);
  const same = live.filter(({ itemCount }) => sameCount === null || itemCount <= sameCount);
  const within = entriesWithin(same, blockCounts);
  const found = new Set(places.map((place) => entryFoundFrom(place, within, lookbackBlocks)));
  return Array.from(found).flatMap((one) =>
    one === null ? [] : [{ itemCount: one.itemCount, blockCount: one.blockCount }],
  );
}

/** Where the request leaves something with the provider: at its breakpoints, or at its end where that caches by itself. */
function placesIn(input: DraftInput, draft: Draft | null, facts: ModelFacts): readonly CachePlace[] {
  if (facts.cache.kind === "none") return [];
  if (!cachesByItself(facts)) return placesOf(breakpointsOf(input, draft), input.blockCounts);
  const itemCount = input.source.transcript.items.length;
  return [{ itemCount, blockCount: input.blockCounts[itemCount] ?? 0, ttlMs: facts.ttlDefaultMs, isWhole: true }];
}

/** The client's breakpoints and the one of Ebb, in the order of their places. */
function breakpointsOf({ source }: DraftInput, draft: Draft | null): readonly Breakpoint[] {
  const { items, breakpoints } = source.transcript;
  const own = (draft?.extras ?? []).flatMap((edit): readonly Breakpoint[] => {
    if (edit.kind !== "breakpoint") return [];
    const itemCount = items.findIndex(({ key }) => key === edit.itemKey) + 1;
    return [{ itemCount, ttlMs: edit.ttlMs }];
  });
  return own.length === 0
    ? breakpoints
    : [...breakpoints, ...own].sort((one, other) => one.itemCount - other.itemCount);
}

/** Items in front of the first one that changes here; null where none does. What the provider deletes keeps its form. */
function sameCountOf({ source, placement }: DraftInput, { fresh, restored, extras, clearing }: Draft): number | null {
  const omitted = extras.filter((edit) => edit.kind === "omit");
  const changed = new Set([...fresh.filter(isReplacing), ...restored, ...omitted].map(({ itemKey }) => itemKey));
  for (const key of changedByClearing(clearing, placement.lineage.standing)) changed.add(key);
  if (changed.size === 0) return null;
  const index = source.transcript.items.findIndex(({ key }) => changed.has(key));
  return index === -1 ? null : index;
}

function isBound({ model, transcript }: View): boolean {
  return model.thinkingBinding === "prefix" && transcript.items.some((item) => item.kind === "thinking");
}
