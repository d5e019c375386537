import { judgeUntil, untilText } from "../engine/deliberate.ts";
import { labelText } from "../engine/marker.ts";
import { EMPTY_STANDING, foldLedger, type LineageStanding } from "../engine/standing.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { Address } from "../model/item.ts";
import type { ItemRecord } from "../model/ledger.ts";
import type { Store } from "../model/store.ts";
import type { OrderContext } from "./order.ts";
import { itemsOf } from "./order-targets.ts";

/** One item of a conversation's window. */
export interface WindowItem {
  readonly address: Address;
  readonly label: string;
  readonly bytes: number;
  /** `held` in full, `released` behind a marker, `kept` in part. */
  readonly state: "held" | "released" | "kept";
  /** Why and until when, in words; empty where nothing was declared or decided. */
  readonly words: string;
  readonly step: number;
}

export type WindowAnswer =
  | {
      readonly ok: true;
      readonly lineage: string;
      readonly turn: number;
      readonly step: number;
      readonly items: readonly WindowItem[];
    }
  | {
      readonly ok: false;
      readonly failure: "unknown session" | "ambiguous session" | "store unavailable";
      readonly words: string;
    };

const LISTED_MAX = 200;

/** The ledger of one conversation, item by item, oldest first. Never throws for the store. */
export async function windowOf({ tenant, sessionId }: OrderContext, store: Store): Promise<WindowAnswer> {
  try {
    const listed = (await store.listLineages(tenant, LISTED_MAX)).filter(
      (one) => one.agentId === null && (sessionId === null || one.sessionId === sessionId),
    );
    const sessions = new Set(listed.map((one) => one.sessionId));
    const [newest] = listed;
    if (newest === undefined)
      return { ok: false, failure: "unknown session", words: "no conversation is known by that name" };
    if (sessions.size > 1)
      return {
        ok: false,
        failure: "ambiguous session",
        words: `${sessions.size} sessions are known; name one: ${Array.from(sessions, String).slice(0, 10).join(", ")}`,
      };
    const standing = foldLedger(EMPTY_STANDING, await store.loadLineage(tenant, newest.lineage));
    const items = await itemsOf(tenant, newest.lineage, store);
    const { turn, step } = standing.clock;
    return { ok: true, lineage: newest.lineage, turn, step, items: items.map((item) => itemOf(item, standing)) };
  } catch (error) {
    if (!(error instanceof EbbError)) throw error;
    return { ok: false, failure: "store unavailable", words: error.message };
  }
}

function itemOf(item: ItemRecord, standing: LineageStanding): WindowItem {
  const decision = standing.decisions.get(item.key);
  const state = decision === undefined ? "held" : decision.reason === "kept" ? "kept" : "released";
  return {
    address: item.address,
    label: labelText(item.label),
    bytes: item.bytes,
    state,
    words: wordsOf(item, standing),
    step: item.step,
  };
}

function wordsOf({ key }: ItemRecord, { deliberate, decisions, clock }: LineageStanding): string {
  const parts: string[] = [];
  const decision = decisions.get(key);
  if (decision !== undefined) parts.push(`${decision.reason} (${decision.moment})`);
  const protection = deliberate.protections.get(key);
  if (protection !== undefined && judgeUntil(protection.until, clock, deliberate.scopes) !== "over") {
    parts.push(`protected ${untilText(protection.until)}: ${protection.reason}`);
  }
  const span = deliberate.spans.get(key);
  if (span !== undefined) parts.push(`held ${untilText(span.until)}: ${span.reason}`);
  const expiry = deliberate.expired.get(key);
  if (expiry !== undefined) parts.push(`lifetime over: ${expiry}`);
  const wish = deliberate.wishes.get(key);
  if (wish !== undefined && decision?.wish?.kind !== wish.wish.kind)
    parts.push(`${wish.wish.kind} asked: ${wish.reason}`);
  return parts.join("; ");
}
