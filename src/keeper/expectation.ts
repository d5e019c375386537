import type { AttributedRequest, CacheAge } from "../engine/attribution.ts";
import { nameOf } from "../engine/caches.ts";
import { type Predicted, type PredictionGround, predictUsage } from "../engine/prediction.ts";
import { promptSizes } from "../engine/prompt-sizes.ts";
import type { CacheEntry } from "../model/cache.ts";
import type { Decision } from "../model/decision.ts";
import type { Item, ItemKey } from "../model/item.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import { type Draft, type DraftInput, inForceAfter } from "./draft.ts";
import { goneFrom } from "./signed-thinking.ts";
import { hasUnseenAnswers } from "./unseen.ts";

/** What the provider is expected to do with a request, and what explains it when it does not. */
export interface Expectation {
  readonly predicted: Predicted;
  /** The same, had Ebb newly changed nothing. */
  readonly unchanged: Predicted;
  readonly request: AttributedRequest;
  /** Items up to the last breakpoint. */
  readonly markedCount: number;
  /** Tokens of tools and system prompt, and of each item in the form in which it goes out, by their bytes. */
  readonly headTokens: number;
  readonly itemTokens: readonly number[];
  /** Decisions that are in force once the request is sent. */
  readonly inForce: readonly Decision[];
  readonly sentCount: number;
  /** Items in front of the first one that goes out in another form than before. */
  readonly sameCount: number;
}

type RequestSent = Extract<LedgerEntry, { type: "request-sent" }>;

/** What the provider counted before gives the measure, so nothing needs to be counted on the way. */
const BYTES_PER_TOKEN = 4;
/** What the keys of thinking begin with. */
const THINKING = "thinking:";

/** Expects by what was on record before the request; null where the entries do not send one. */
export function expectUsage(input: DraftInput, draft: Draft, entries: readonly LedgerEntry[]): Expectation | null {
  const sent = entries.find((entry) => entry.type === "request-sent");
  if (sent === undefined) return null;
  const { header, items } = input.source.transcript;
  const inForce = inForceAfter(draft.standing, sent.isActing ? draft : { fresh: [], restored: draft.restored });
  const sizes = sizesOf(input, draft, inForce);
  const places = sent.breakpoints ?? [];
  const sameCount = sent.sameCount ?? items.length;
  const known = stillCounted(draft, items);
  const ground: PredictionGround = {
    rules: draft.view.model.cache,
    tokensMin: draft.view.model.cacheTokensMin,
    entries: known,
    sameCount,
    places,
    headBreakpoints: header.headBreakpoints,
    sizes: promptSizes({ ...sizes, entries: known.filter((one) => one.itemCount <= sameCount) }),
    isAllSeen: !hasUnseenAnswers(input) && !isKeptByKin(input, draft) && !isCleared(input, draft),
    isDeleting: draft.extras.some(({ kind }) => kind === "delete"),
  };
  const predicted = predictUsage(ground);
  return {
    predicted,
    unchanged: predictUsage({ ...ground, sameCount: items.length }),
    request: { ...describe(input, sent), age: ageOf(predicted.entry, input.request.atMs) },
    markedCount: places.at(-1)?.itemCount ?? 0,
    ...sizes,
    inForce,
    sentCount: input.placement.sentCount,
    sameCount,
  };
}

/** What is on record as cached, without the counts that a new deletion makes too high. */
function stillCounted({ view, extras }: Draft, items: readonly Item[]): readonly CacheEntry[] {
  const deleted = new Set(extras.flatMap((edit) => (edit.kind === "delete" ? edit.resultKeys : [])));
  const first = items.findIndex(({ key }) => deleted.has(key));
  const { entries } = view.cache;
  return first === -1 ? entries : entries.map((one) => (one.itemCount > first ? { ...one, tokens: null } : one));
}

/** The entries with what the request is expected to read and write in the record of it. */
export function withPrediction(
  entries: readonly LedgerEntry[],
  expectation: Expectation | null,
): readonly LedgerEntry[] {
  if (expectation === null) return entries;
  const predicted = expectation.predicted.prediction;
  return entries.map((entry) => (entry.type === "request-sent" ? { ...entry, predicted } : entry));
}

/** Nothing of this history is on record as warm, and a fork of the same beginning was in use later: it may have kept it warm. */
function isKeptByKin({ placement }: DraftInput, { view }: Draft): boolean {
  const { warmUntilMs, lineage } = placement;
  if (view.cache.entries.length > 0 || warmUntilMs === null) return false;
  return warmUntilMs > (lineage.standing.warmUntilMs ?? 0);
}

/** The provider itself clears as it likes: what it reads then is told by nothing on record. */
function isCleared({ source }: DraftInput, { cleared, clearing }: Draft): boolean {
  return source.transcript.header.hasServerClear || cleared !== null || clearing.carried !== null;
}

function describe(input: DraftInput, { turn, sameCount }: RequestSent): Omit<AttributedRequest, "age"> {
  const { source, placement, request } = input;
  const { header, items } = source.transcript;
  const { lineage, known, sentCount } = placement;
  return {
    model: header.model,
    parts: header.parts,
    turn,
    mediaCount: items.filter(({ kind }) => kind === "media").length,
    hasLostThinking: hasLostThinking(input),
    hasSentThinking: items.slice(0, sentCount).some(({ kind }) => kind === "thinking"),
    isHistoryEdited: known !== lineage && known.standing.itemCount > sentCount,
    isChangedByEbb: sameCount !== undefined && sameCount < sentCount,
    lapsed: ageOf(lapsedEntry(input, sameCount ?? items.length), request.atMs),
  };
}

/** The longest prefix of what goes out as it did that is on record as expired. */
function lapsedEntry({ source, placement, request }: DraftInput, sameCount: number): CacheEntry | null {
  const { model, cacheKey } = source.transcript.header;
  const own = placement.lineage.standing.entries.named.get(nameOf({ model, cacheKey })) ?? [];
  const isOver = ({ usedAtMs, ttlMs }: CacheEntry) => request.atMs - usedAtMs >= ttlMs;
  return own.findLast((one) => one.itemCount <= sameCount && isOver(one)) ?? null;
}

function ageOf(entry: CacheEntry | null, atMs: number): CacheAge | null {
  return entry === null ? null : { sinceMs: atMs - entry.usedAtMs, ttlMs: entry.ttlMs };
}

/** As far as this process remembers what the request before held. */
function hasLostThinking({ placement, understood }: DraftInput): boolean {
  const before = placement.known.chain?.keys.filter((key) => key.startsWith(THINKING)) ?? [];
  if (before.length === 0) return false;
  const present = new Set(understood.chain.keys);
  return before.some((key) => !present.has(key));
}

function sizesOf(
  { source }: DraftInput,
  draft: Draft,
  inForce: readonly Decision[],
): Pick<Expectation, "headTokens" | "itemTokens"> {
  const { header, items } = source.transcript;
  const decisions = new Map<ItemKey, Decision>(inForce.map((decision) => [decision.itemKey, decision]));
  const { view } = draft;
  const isGone = goneFrom(draft);
  const tokensOf = (item: Item) => {
    const decision = decisions.get(item.key);
    if (isGone(item)) return 0;
    if (decision !== undefined) return Buffer.byteLength(decision.marker) / BYTES_PER_TOKEN;
    return item.kind === "media" ? view.tokensOf(item) : item.bytes / BYTES_PER_TOKEN;
  };
  return { headTokens: header.overheadBytes / BYTES_PER_TOKEN, itemTokens: items.map(tokensOf) };
}
