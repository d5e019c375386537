import type { Keeper } from "../../../src/keeper/contract.ts";
import type { Decision } from "../../../src/model/decision.ts";
import { compareBodies, declaredIn, type ReadBody, type ReadResult } from "../bodies.ts";
import type { Session } from "../client/moves.ts";
import { type ClientRequest, MODELS } from "../client/session-play.ts";
import { type Handled, TENANT, type Watcher } from "../world.ts";
import { createProviderCache, type ProviderCache } from "./cache-claims.ts";
import { isProven } from "./marker-claims.ts";
import { withPutBack } from "./put-back.ts";

/** Forms by name of the result, as one thread last sent them. */
type Forms = Map<string, string>;

interface Conversation {
  readonly forms: Forms;
  /** The history was cut or rewritten since a request of the thread last went out. */
  isRewritten: boolean;
  /** The process that last sent it is gone, and left no record. */
  isForgotten: boolean;
  /** The model answered since then without Ebb. */
  hasUnseen: boolean;
  /** Messages of the last request that went out. */
  messageCount: number;
  /** The process that sent the last request and could not record it; null where it is on record. */
  unrecordedIn: Keeper | null;
  lastAtMs: number | null;
}

interface Case {
  readonly request: ClientRequest;
  readonly session: Session;
  readonly conversation: Conversation;
  /** Forms of all threads, which share prefixes. */
  readonly family: Iterable<Conversation>;
  readonly after: ReadBody;
  /** What would have left without what waited for the cache. */
  readonly unchanged: Uint8Array;
  readonly fresh: ReadonlyMap<string, Decision>;
  /** Place of the first block that changes in this request whatever the cache holds. */
  readonly changedAt: number;
  readonly keeper: Keeper;
  readonly cache: ProviderCache;
  /** All decisions so far, by marker. */
  readonly past: ReadonlyMap<string, Decision>;
}

const SLACK_MS = 60_000;
const AT_DEPTH: readonly string[] = ["prefix-broken", "cold", "forced", "limit", "pays", "pressure"];
/** Moments at which what waits leaves because of what the provider holds. */
const FOR_CACHE: readonly string[] = ["prefix-broken", "pays", "pressure"];
/** A token has a byte at least: a shorter body is nowhere near the end of any window. */
const NEARLY_FULL_BYTES = 180_000;
/** Models with a price on record. */
const PRICED: readonly string[] = MODELS.slice(0, 3);
/** Models that let earlier text be rewritten although they think. */
const UNBOUND: readonly string[] = MODELS.slice(0, 2);

/**
 * A form once sent is repeated on every later request of its thread. Only a decision that this request records may turn an
 * original into a marker, at a moment that the client's own clock, model and settings allow; a marker turns back only where the
 * client took its proof out of the history.
 */
export function judgeSteadiness(): Watcher {
  const threads = new Map<string, Conversation>();
  const past = new Map<string, Decision>();
  const cache = createProviderCache();
  return async ({ request, prepared, forwarded, store, keeper }, session) => {
    const conversation = conversationOf(request, threads);
    // What only a process knew that is gone, nobody can tell from what a fork of the same history was sent.
    const isForgotten = conversation.unrecordedIn !== null && conversation.unrecordedIn !== keeper;
    conversation.isRewritten ||= request.isRewritten || isForgotten;
    conversation.isForgotten ||= isForgotten;
    if (prepared.kind === "refuse" || forwarded === null) return [];
    const fresh = freshByCall(prepared.plan);
    const { after, came: before, left } = compareBodies(request.body, forwarded, declaredIn(prepared));
    for (const decision of fresh.values()) past.set(decision.marker, decision);
    conversation.hasUnseen = request.hasUnseen || answersBehind(after, conversation.messageCount) > 1;
    const family = [...threads.values()];
    const unchanged = withPutBack(forwarded, request.body, waitedIn(fresh));
    const changedAt = Math.min(...left.filter((one) => changesAnyway(one, fresh)).map(({ at }) => at));
    const seen = { conversation, family, keeper, cache, past };
    const judged: Case = { request, session, after, unchanged, fresh, changedAt, ...seen };
    const rewrittenFrom = before.findIndex(({ name }) => !conversation.forms.has(name));
    const faults = before.flatMap((result, index) => {
      // Behind a result the client wrote anew stands a new history, in which nothing was released yet.
      const isBehind = conversation.isRewritten && rewrittenFrom !== -1 && index > rewrittenFrom;
      return isBehind && left[index]?.text === result.text ? [] : formFaults(result, left[index], judged);
    });
    if (request.kind === "count") return faults;
    for (const [index, result] of before.entries()) conversation.forms.set(result.name, left[index]?.text ?? "");
    conversation.lastAtMs = request.atMs;
    conversation.isRewritten = false;
    conversation.isForgotten = false;
    conversation.messageCount = (after.blocks.at(-1)?.message ?? -1) + 1;
    conversation.unrecordedIn = (await isRecorded(prepared.plan, request, store)) ? null : keeper;
    cache.note(forwarded, request, conversation.unrecordedIn);
    return [...faults, ...(await unrecorded(prepared.plan, store))];
  };
}

function conversationOf(request: ClientRequest, threads: Map<string, Conversation>): Conversation {
  const known = threads.get(request.thread);
  if (known !== undefined) return known;
  const source = request.forkedFrom === null ? undefined : threads.get(request.forkedFrom);
  const opened: Conversation = {
    forms: new Map(source?.forms),
    isRewritten: false,
    isForgotten: false,
    hasUnseen: false,
    messageCount: source?.messageCount ?? 0,
    unrecordedIn: source?.unrecordedIn ?? null,
    lastAtMs: source?.lastAtMs ?? null,
  };
  threads.set(request.thread, opened);
  return opened;
}

type Plan = Extract<Handled["prepared"], { kind: "forward" }>["plan"];

function freshByCall(plan: Plan): ReadonlyMap<string, Decision> {
  const items = new Map(plan?.transcript.items.map((item) => [item.key, item]));
  return new Map(
    plan?.fresh.flatMap((decision) => {
      const item = items.get(decision.itemKey);
      if (item?.kind !== "result" && item?.kind !== "media") return [];
      return [[`${item.callId ?? "message"}\n${decision.marker}`, decision]];
    }),
  );
}

/** Markers of decisions that the cache allowed. */
function waitedIn(fresh: ReadonlyMap<string, Decision>): ReadonlySet<string> {
  const waited = [...fresh.values()].filter(({ moment }) => FOR_CACHE.includes(moment));
  return new Set(waited.map(({ marker }) => marker));
}

function changesAnyway({ callId, text }: ReadResult, fresh: ReadonlyMap<string, Decision>): boolean {
  const moment = fresh.get(`${callId}\n${text}`)?.moment;
  return moment !== undefined && moment !== "first-send" && !FOR_CACHE.includes(moment);
}

function formFaults(result: ReadResult, other: ReadResult | undefined, judged: Case): readonly string[] {
  const form = other?.text ?? "";
  const known = judged.conversation.forms.get(result.name);
  if (known === form) return [];
  const decision = judged.fresh.get(`${result.callId}\n${form}`);
  if (decision !== undefined) return decisionFaults(decision, result, known, judged);
  if (known === undefined && form === result.text) return [];
  if (form === result.text && isSignedAgain(known, result, judged)) return [];
  const { isRewritten } = judged.conversation;
  const isInFamily = [...judged.family].some(({ forms }) => forms.get(result.name) === form);
  // A fork found the cache of all its kin cold: what it changed then is what the provider holds of their common history now.
  if (isInFamily && (isRewritten || isAtDepth(judged.past.get(form)))) return [];
  if (isRewritten && form === result.text && known !== undefined && isProofGone(known, result, judged)) return [];
  return [`steady: ${result.callId} was ${quoted(known)} and is ${quoted(form)} without a decision`];
}

/** Answers behind the first `messageCount` messages: assistant messages in a row are one. */
function answersBehind({ blocks }: ReadBody, messageCount: number): number {
  const roles = new Map(blocks.filter(({ message }) => message >= messageCount).map((one) => [one.message, one.role]));
  const row = [...roles.values()];
  return row.filter((role, index) => role === "assistant" && row[index - 1] !== "assistant").length;
}

function isAtDepth(decision: Decision | undefined): boolean {
  return decision !== undefined && AT_DEPTH.includes(decision.moment);
}

/** Back on a model that signs its thinking, what left at depth on another one stands again as it was signed over. */
function isSignedAgain(marker: string | undefined, result: ReadResult, { request, after, past }: Case): boolean {
  if (UNBOUND.includes(request.model) || marker === undefined || !isAtDepth(past.get(marker))) return false;
  return after.blocks.slice(result.at).some(({ type }) => type.endsWith("thinking"));
}

function isProofGone(marker: string, result: ReadResult, { after, past }: Case): boolean {
  const decision = past.get(marker);
  return decision !== undefined && !isProven(decision.reason, result, after);
}

/**
 * Answers that came unseen leave the clock unknown, unless a fork sent them on since: then it is that request's. When a fork sent last
 * nobody can tell where only a process knew that is gone.
 */
function isColdFor({ name }: ReadResult, { request, conversation, family, keeper }: Case): boolean {
  const { lastAtMs, hasUnseen } = conversation;
  const isKnown = ({ unrecordedIn }: Conversation) => unrecordedIn === null || unrecordedIn === keeper;
  const kin = [...family].filter((one) => one !== conversation && one.forms.has(name) && isKnown(one));
  const kinAtMs = Math.max(...kin.map((one) => one.lastAtMs ?? Number.NEGATIVE_INFINITY));
  const ownAtMs = lastAtMs ?? Number.NEGATIVE_INFINITY;
  const isClockKnown = hasUnseen ? kinAtMs > ownAtMs : lastAtMs !== null;
  return (
    isClockKnown && request.ttlMs !== null && request.atMs - Math.max(ownAtMs, kinAtMs) >= request.ttlMs + SLACK_MS
  );
}

function decisionFaults(
  decision: Decision,
  result: ReadResult,
  known: string | undefined,
  judged: Case,
): readonly string[] {
  const { request, session, conversation, after } = judged;
  const faults: string[] = [];
  const name = `steady: ${result.callId}`;
  const isOver = (marker: string) => conversation.isRewritten && isProofGone(marker, result, judged);
  if (known !== undefined && known !== result.text && !isOver(known)) faults.push(`${name} got a second marker`);
  const isBound = !UNBOUND.includes(request.model);
  const isSigned = after.blocks.slice(result.at).some(({ type }) => type.endsWith("thinking"));
  if (isBound && isSigned) faults.push(`${name} changed under a later thinking block`);
  const isSent = known !== undefined && !conversation.isForgotten && !conversation.isRewritten;
  if (decision.moment === "first-send" && isSent) faults.push(`${name} was sent before`);
  if (decision.moment === "first-send" && isBeforeAssistant(result, after)) faults.push(`${name} may have been sent`);
  if (decision.moment === "forced" && (!session.setting.staleAtDepth || isBound)) faults.push(`${name} was forced`);
  if (decision.moment === "cold") {
    if (!isColdFor(result, judged) && !conversation.isForgotten) faults.push(`${name} acted as if the cache were cold`);
  }
  if (decision.moment === "prefix-broken" && !isBroken(result, judged)) {
    faults.push(`${name} acted as if its prefix were broken`);
  }
  if (decision.moment === "pays" && !mayPay(judged)) faults.push(`${name} acted as if anybody knew that it pays`);
  if (decision.moment === "pressure" && judged.unchanged.length < NEARLY_FULL_BYTES) faults.push(`${name} was pressed`);
  return faults;
}

function mayPay({ request: { ttlMs, hasUnseen, model }, session }: Case): boolean {
  return session.setting.pays && ttlMs !== null && !hasUnseen && PRICED.includes(model);
}

/** What only a process knew that is gone, nobody can tell. Where nothing is known of the cache, what stands behind a change is broken. */
function isBroken(result: ReadResult, { cache, conversation, unchanged, changedAt, request, keeper }: Case): boolean {
  if (conversation.isForgotten) return true;
  if (request.ttlMs === null || request.hasUnseen) return result.at > changedAt;
  return cache.isBroken(result, { body: unchanged, isChangedInFront: result.at > changedAt }, request, keeper);
}

function isBeforeAssistant(result: ReadResult, { blocks }: ReadBody): boolean {
  return blocks.slice(result.at).some(({ role }) => role === "assistant");
}

async function isRecorded(plan: Plan, { atMs }: ClientRequest, store: Handled["store"]): Promise<boolean> {
  const records = plan === null ? [] : await store.loadLineage(TENANT, plan.lineage);
  return records.some((record) => record.entry.type === "request-sent" && record.atMs === atMs);
}

/** Decisions that acted before the ledger held them. */
async function unrecorded(plan: Plan, store: Handled["store"]): Promise<readonly string[]> {
  if (plan === null || plan.fresh.length === 0) return [];
  const records = await store.loadLineage(TENANT, plan.lineage);
  return plan.fresh
    .filter(
      ({ itemKey, marker }) =>
        !records.some(
          ({ entry }) =>
            entry.type === "item-released" && entry.decision.itemKey === itemKey && entry.decision.marker === marker,
        ),
    )
    .map(({ itemKey }) => `steady: the decision on ${itemKey} left before it was recorded`);
}

function quoted(text: string | undefined): string {
  return text === undefined ? "never sent" : JSON.stringify(text.slice(0, 60));
}
