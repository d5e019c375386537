import { judgeUntil, untilText } from "../engine/deliberate.ts";
import { labelText } from "../engine/marker.ts";
import { releaseWords } from "../engine/release-words.ts";
import { EMPTY_STANDING, foldLedger, type GuardedSince, type LineageStanding } from "../engine/standing.ts";
import { EbbError } from "../lib/ebb-error.ts";
import { oneLine } from "../lib/visible.ts";
import { decodeWtf8 } from "../lib/wtf8.ts";
import type { Address, ItemKey } from "../model/item.ts";
import type { ItemRecord, LedgerRecord, Withdrawal } from "../model/ledger.ts";
import type { TokenCounter } from "../model/ports.ts";
import type { Store } from "../model/store.ts";
import type { Actor, Declaration, PathDeclaration } from "../model/wish.ts";
import { carriersOf, declarablesOf } from "./carriers.ts";
import type { Mode } from "./contract.ts";
import { NO_CONVERSATION } from "./no-conversation.ts";
import type { OrderContext } from "./order.ts";
import { mainLineageOf, sessionNames } from "./order-lineage.ts";
import { itemsOf } from "./order-targets.ts";
import { type WhenGround, whenOf } from "./order-when.ts";
import { readOriginal } from "./read-original.ts";

/** A declaration that runs: until when, in words, why, and who said so. */
export interface WindowHold {
  readonly until: string;
  readonly reason: string;
  readonly by: Actor;
}

/** One item of a conversation's window. */
export interface WindowItem {
  readonly address: Address;
  readonly kind: "result" | "media";
  readonly label: string;
  readonly bytes: number;
  /** `held` in full, `released` behind a marker, `kept` in part. */
  readonly state: "held" | "released" | "kept";
  /** Why it left and at which moment, in words; null while it is held. */
  readonly left: string | null;
  readonly held: WindowHold | null;
  readonly protected: WindowHold | null;
  /** An order about it that was not carried out yet: what was asked and what it waits for; null without one. */
  readonly waiting: string | null;
  /** All of that in one line; empty where nothing was declared or decided. */
  readonly words: string;
  /** Turn and step at which it was acquired. */
  readonly turn: number;
  readonly step: number;
}

/** A path that is held or protected: what is acquired of it while that lasts is bound. */
export interface WindowPath extends WindowHold {
  readonly path: string;
  readonly kind: "held" | "protected";
}

/** A scope that is open, and the items it holds. */
export interface WindowScope {
  readonly name: string;
  readonly reason: string;
  readonly turn: number;
  readonly step: number;
  readonly addresses: readonly Address[];
}

export type WindowAnswer =
  | {
      readonly ok: true;
      readonly lineage: string;
      readonly turn: number;
      readonly step: number;
      /** Oldest first. */
      readonly items: readonly WindowItem[];
      readonly paths: readonly WindowPath[];
      readonly scopes: readonly WindowScope[];
      /** Since when Ebb costs more here than it saves, so that nothing new leaves by rule; null where it does not. */
      readonly guarded: GuardedSince | null;
      /** Items of this conversation that a rewind or the client's compaction took out; their addresses still come back. */
      readonly gone: number;
    }
  | {
      readonly ok: false;
      readonly failure: "unknown session" | "ambiguous session" | "store unavailable";
      readonly words: string;
    };

/** What listing a window needs of a keeper. */
export interface WindowDesk {
  readonly store: Store;
  readonly tokens: TokenCounter;
  readonly mode: Mode;
  readonly isPaused: boolean;
  readonly whenFree: boolean;
  whenStored(): Promise<void>;
}

const LISTED_MAX = 200;
const SIZED_BYTES_MAX = 65_536;

/** The ledger of one conversation: items, paths and scopes, as they stand. Never throws for the store. */
export async function windowOf(context: OrderContext, desk: WindowDesk): Promise<WindowAnswer> {
  try {
    const lineage = await lineageOf(context, desk.store);
    if (typeof lineage !== "string") return lineage;
    const records = await desk.store.loadLineage(context.tenant, lineage);
    const standing = foldLedger(EMPTY_STANDING, records);
    const all = await itemsOf(context.tenant, lineage, desk.store);
    const live = all.filter(({ key }) => standing.acquired.has(key));
    const ground = {
      standing,
      records,
      isLeftBehind: false,
      carriers: carriersOf(all),
      orders: ordersIn(records),
      ...desk,
    };
    const items: WindowItem[] = [];
    // One after another: a waiting order may need the original.
    for (const item of live) items.push(itemOf(item, ground, await waitingFor(item, ground, context)));
    const { turn, step } = standing.clock;
    const paths = pathsOf(standing);
    const scopes = scopesOf(standing, live);
    const { guarded } = standing;
    return { ok: true, lineage, turn, step, items, paths, scopes, guarded, gone: all.length - live.length };
  } catch (error) {
    if (!(error instanceof EbbError)) throw error;
    return { ok: false, failure: "store unavailable", words: error.message };
  }
}

async function lineageOf(
  { tenant, lineage, sessionId }: OrderContext,
  store: Store,
): Promise<string | Extract<WindowAnswer, { ok: false }>> {
  const unknown = { ok: false, failure: "unknown session", words: "no conversation is known by that name" } as const;
  if (lineage !== null) return (await store.loadLineage(tenant, lineage)).length === 0 ? unknown : lineage;
  const listed = (await store.listLineages(tenant, LISTED_MAX)).filter(
    (one) => one.agentId === null && (sessionId === null || one.sessionId === sessionId),
  );
  const sessions = new Set(listed.map((one) => one.sessionId));
  if (sessions.size === 0 && sessionId === null) return { ...unknown, words: NO_CONVERSATION };
  if (sessions.size > 1) {
    return {
      ok: false,
      failure: "ambiguous session",
      words: `${sessions.size} sessions are known; name one: ${sessionNames(sessions)}`,
    };
  }
  const [session] = sessions;
  return session === undefined ? unknown : ((await mainLineageOf(session, listed, tenant, store)) ?? unknown);
}

/** What a listing stands on. */
interface Ground extends WhenGround, Pick<WindowDesk, "store" | "whenStored"> {
  readonly orders: PlacedOrders;
}

/** Where the ledger has the last wish about each item, and the last request. */
interface PlacedOrders {
  readonly wished: ReadonlyMap<ItemKey, number>;
  readonly sent: number;
}

function ordersIn(records: readonly LedgerRecord[]): PlacedOrders {
  const wished = new Map<ItemKey, number>();
  let sent = -1;
  for (const [place, { entry }] of records.entries()) {
    if (entry.type === "item-wished") wished.set(entry.wish.itemKey, place);
    if (entry.type === "request-sent") sent = place;
  }
  return { wished, sent };
}

function itemOf(item: ItemRecord, { standing, carriers }: Ground, waiting: string | null): WindowItem {
  const { deliberate, decisions } = standing;
  const decision = decisions.get(item.key);
  const left = decision === undefined ? null : releaseWords(decision);
  const keys = declarablesOf(item, carriers).map(({ key }) => key);
  const [held = null] = keys.flatMap((key) => runningOf(deliberate.spans.get(key), standing) ?? []);
  const [protection = null] = keys.flatMap((key) => runningOf(deliberate.protections.get(key), standing) ?? []);
  const expiry = deliberate.expired.get(item.key);
  const parts = [
    left,
    protection === null ? null : `protected ${protection.until}: ${protection.reason}`,
    held === null ? null : `held ${held.until}: ${held.reason}`,
    expiry === undefined ? null : `lifetime over: ${expiry}`,
    waiting,
  ];
  return {
    address: item.address,
    kind: item.kind,
    label: labelText(item.label),
    bytes: item.bytes,
    state: decision === undefined ? "held" : decision.reason === "kept" ? "kept" : "released",
    left,
    held,
    protected: protection,
    waiting,
    words: oneLine(parts.filter((part) => part !== null).join("; ")),
    turn: item.turn,
    step: item.step,
  };
}

function runningOf(
  declared: Declaration | Withdrawal | PathDeclaration | undefined,
  { deliberate, clock }: LineageStanding,
): WindowHold | null {
  if (declared === undefined || declared.until === null) return null;
  if (judgeUntil(declared.until, clock, deliberate.scopes) === "over") return null;
  return { until: untilText(declared.until), reason: declared.reason, by: declared.by };
}

function pathsOf(standing: LineageStanding): readonly WindowPath[] {
  const { pathSpans, pathProtections } = standing.deliberate;
  return [...listed("protected", pathProtections), ...listed("held", pathSpans)];

  function listed(kind: WindowPath["kind"], paths: ReadonlyMap<string, PathDeclaration>): readonly WindowPath[] {
    return Array.from(paths.values(), (one): readonly WindowPath[] => {
      const running = runningOf(one, standing);
      return running === null ? [] : [{ path: one.path, kind, ...running }];
    }).flat();
  }
}

function scopesOf({ deliberate }: LineageStanding, live: readonly ItemRecord[]): readonly WindowScope[] {
  const open = Array.from(deliberate.scopes.values()).filter(({ isClosed }) => !isClosed);
  return open.map(({ name, reason, openedTurn, openedStep }) => {
    const isIn = ({ key }: ItemRecord): boolean => {
      const until = deliberate.spans.get(key)?.until;
      return until?.kind === "scope" && until.scope === name;
    };
    const addresses = live.filter(isIn).map(({ address }) => address);
    return { name, reason, turn: openedTurn, step: openedStep, addresses };
  });
}

/** A wish that is not carried out. One the next request carries out waits for that; a request that did not must have refused it. */
async function waitingFor(item: ItemRecord, ground: Ground, { tenant }: OrderContext): Promise<string | null> {
  const { standing, orders } = ground;
  const recorded = standing.deliberate.wishes.get(item.key);
  if (recorded === undefined) return null;
  const text = item.bytes > SIZED_BYTES_MAX ? null : await originalText(item, tenant, ground);
  const when = whenOf(item, recorded.wish, text, ground);
  if (when.state === "done") return null;
  const asked = `${recorded.wish.kind} asked (${recorded.reason})`;
  if (when.state === "waiting") return `${asked}, ${when.words}`;
  return orders.sent > (orders.wished.get(item.key) ?? -1)
    ? `${asked}, waiting: the last request could not carry it out`
    : `${asked}, waiting: for the next request`;
}

async function originalText(
  { digest }: ItemRecord,
  tenant: string,
  { store, whenStored }: Ground,
): Promise<string | null> {
  const original = await readOriginal({ tenant, digest }, store, whenStored);
  return original.state === "present" ? decodeWtf8(original.bytes) : null;
}
