import { untilText } from "../engine/deliberate.ts";
import { fileLines, parseRange, selectLines, textLines } from "../engine/selection.ts";
import { EMPTY_STANDING, foldLedger, type LineageStanding } from "../engine/standing.ts";
import { EbbError } from "../lib/ebb-error.ts";
import { decodeWtf8 } from "../lib/wtf8.ts";
import type { ItemRecord, LedgerEntry, LedgerRecord } from "../model/ledger.ts";
import type { Store } from "../model/store.ts";
import type { Until, Wish } from "../model/wish.ts";
import type { Lifetime, Order, OrderAnswer, OrderContext } from "./order.ts";
import { type Aim, aimAt, itemsOf, refused } from "./order-targets.ts";
import { readOriginal } from "./read-original.ts";

/** What deciding needs of a keeper. */
export interface DecisionDesk {
  readonly store: Store;
  /** Wait for a moment that costs nothing instead of acting at the next request. */
  readonly whenFree: boolean;
  /** Resolves when no original is on its way to the store any more. */
  whenStored(): Promise<void>;
  append(lineage: string, entries: readonly LedgerEntry[], context: OrderContext): Promise<void>;
}

const SCOPE_PREFIX = "tmp_";

/** Records an order in the ledger before it answers. Never throws for the store. */
export async function decide(order: Order, context: OrderContext, desk: DecisionDesk): Promise<OrderAnswer> {
  try {
    if (order.reason.trim() === "") return refused("bad order", `${order.verb} needs a reason, got an empty one`);
    if (order.verb === "close") return await closeScope(order.scope, context, desk);
    const targets = order.verb === "keep" ? { ids: [order.id], paths: [], latest: null } : order.targets;
    const aim = await aimAt(targets, context, desk.store);
    return "ok" in aim ? aim : await record(order, aim, context, desk);
  } catch (error) {
    if (!(error instanceof EbbError)) throw error;
    return refused("store unavailable", error.message);
  }
}

type ItemOrder = Exclude<Order, { verb: "close" }>;

async function record(order: ItemOrder, aim: Aim, context: OrderContext, desk: DecisionDesk): Promise<OrderAnswer> {
  const records = await desk.store.loadLineage(context.tenant, aim.lineage);
  const standing = foldLedger(EMPTY_STANDING, records);
  const built = await entriesOf(order, aim, standing, context, desk);
  if ("ok" in built) return built;
  await desk.append(aim.lineage, built.entries, context);
  return {
    ok: true,
    lineage: aim.lineage,
    addresses: aim.items.map((item) => item.address),
    words: `${built.words}; ${built.acts ? whenText(records, desk.whenFree) : "recorded"}`,
  };
}

interface Built {
  readonly entries: readonly LedgerEntry[];
  readonly words: string;
  /** The order changes what is sent; others only say what may be. */
  readonly acts: boolean;
}

async function entriesOf(
  order: ItemOrder,
  { items }: Aim,
  standing: LineageStanding,
  context: OrderContext,
  desk: DecisionDesk,
): Promise<Built | Extract<OrderAnswer, { ok: false }>> {
  const names = items.map((item) => item.address).join(", ");
  switch (order.verb) {
    case "keep": {
      const wish = await keepWish(order.range, items[0], context, desk);
      if ("ok" in wish) return wish;
      const words = wish.kind === "whole" ? `${names} stands in full` : `${names} is kept in part`;
      return { entries: wishes(items, wish, order.reason, context), words, acts: true };
    }
    case "release": {
      const media = items.find((item) => item.kind === "media");
      if (media !== undefined)
        return refused("bad order", `${media.address} is an attachment; attachments are not released yet`);
      return {
        entries: wishes(items, { kind: "release" }, order.reason, context),
        words: `${names} let go`,
        acts: true,
      };
    }
    case "hold": {
      const until = untilOf(order.lifetime, standing);
      if ("ok" in until) return until;
      const opening = openingOf(order.lifetime, order.reason, standing);
      const entries = [...opening, ...declared("item-held", items, until, order.reason, context)];
      return { entries, words: `${names} held ${untilText(until)}`, acts: false };
    }
    case "protect": {
      const until = untilOf(order.lifetime, standing);
      if ("ok" in until) return until;
      const opening = openingOf(order.lifetime, order.reason, standing);
      const entries = [...opening, ...declared("item-protected", items, until, order.reason, context)];
      return { entries, words: `${names} protected ${untilText(until)}`, acts: false };
    }
    case "unhold":
      return {
        entries: declared("item-held", items, null, order.reason, context),
        words: `${names} has no declared lifetime`,
        acts: false,
      };
    case "unprotect":
      return {
        entries: declared("item-protected", items, null, order.reason, context),
        words: `${names} is not protected`,
        acts: false,
      };
  }
}

/** Keeping the whole undoes; keeping nothing is refused here and never rendered. */
async function keepWish(
  range: string | null,
  item: ItemRecord | undefined,
  { tenant }: OrderContext,
  { store, whenStored }: DecisionDesk,
): Promise<Wish | Extract<OrderAnswer, { ok: false }>> {
  const parsed = parseRange(range);
  if (!parsed.ok) return refused("bad range", parsed.words);
  const { from, to, chars } = parsed.selection;
  if (from === 1 && to === null) return { kind: "whole" };
  if (item === undefined) return refused("unknown id", "nothing to keep");
  if (item.kind === "media") return refused("attachment cannot be sliced", "an attachment is kept whole or not at all");
  if (chars !== null) return refused("bad range", "whole lines are kept, not a part of one");
  const original = await readOriginal({ tenant, digest: item.digest }, store, whenStored);
  if (original.state !== "present")
    return refused("not a finished result", `the original of ${item.address} is not in the store`);
  const text = decodeWtf8(original.bytes);
  if (text === "") return refused("empty result", `the original of ${item.address} is empty`);
  const lines = (item.label.lineStart === null ? null : fileLines(text, item.label.lineStart)) ?? textLines(text);
  if (selectLines(lines, parsed.selection).length === 0)
    return refused("selects nothing", `range ${JSON.stringify(range)} selects nothing of ${item.address}`);
  return { kind: "keep", range: { from, to } };
}

function wishes(
  items: readonly ItemRecord[],
  wish: Wish,
  reason: string,
  { by }: OrderContext,
): readonly LedgerEntry[] {
  return items.map(({ key, address }) => ({ type: "item-wished", wish: { itemKey: key, address, wish, reason, by } }));
}

function declared(
  type: "item-held" | "item-protected",
  items: readonly ItemRecord[],
  until: Until | null,
  reason: string,
  { by }: OrderContext,
): readonly LedgerEntry[] {
  return items.map(({ key, address }) => ({ type, held: heldOf({ itemKey: key, address, reason, by }, until) }));
}

function heldOf<Named extends object>(named: Named, until: Until | null) {
  return until === null ? { ...named, until: null } : { ...named, until };
}

/** Resolved once: turns and steps count from the lineage's clock as it stands. */
function untilOf(lifetime: Lifetime, { clock }: LineageStanding): Until | Extract<OrderAnswer, { ok: false }> {
  switch (lifetime.kind) {
    case "forever":
      return { kind: "forever" };
    case "turns":
      return isCount(lifetime.turns)
        ? { kind: "turn", turn: clock.turn + lifetime.turns }
        : badCount("turns", lifetime.turns);
    case "steps":
      return isCount(lifetime.steps)
        ? { kind: "step", step: clock.step + lifetime.steps }
        : badCount("steps", lifetime.steps);
    case "scope":
      if (lifetime.scope.startsWith(SCOPE_PREFIX) && lifetime.scope.length > SCOPE_PREFIX.length) return lifetime;
      return refused(
        "bad order",
        `a scope's name begins with "${SCOPE_PREFIX}", got ${JSON.stringify(lifetime.scope.slice(0, 80))}`,
      );
  }
}

function openingOf(lifetime: Lifetime, reason: string, standing: LineageStanding): readonly LedgerEntry[] {
  if (lifetime.kind !== "scope") return [];
  const known = standing.deliberate.scopes.get(lifetime.scope);
  if (known !== undefined && !known.isClosed) return [];
  const { turn, step } = standing.clock;
  return [
    {
      type: "scope-opened",
      scope: { name: lifetime.scope, reason, openedTurn: turn, openedStep: step, isClosed: false },
    },
  ];
}

async function closeScope(name: string, context: OrderContext, desk: DecisionDesk): Promise<OrderAnswer> {
  const listed = await desk.store.listLineages(context.tenant, 200);
  for (const { lineage, sessionId } of listed) {
    if (context.sessionId !== null && sessionId !== context.sessionId) continue;
    const standing = foldLedger(EMPTY_STANDING, await desk.store.loadLineage(context.tenant, lineage));
    const scope = standing.deliberate.scopes.get(name);
    if (scope === undefined) continue;
    if (scope.isClosed) return refused("bad order", `${name} is closed already`);
    const { turn, step } = standing.clock;
    await desk.append(lineage, [{ type: "scope-closed", name, turn, step }], context);
    const held = new Set(
      Array.from(standing.deliberate.spans.values())
        .filter(({ until }) => until.kind === "scope" && until.scope === name)
        .map(({ itemKey }) => itemKey),
    );
    const items = (await itemsOf(context.tenant, lineage, desk.store)).filter(({ key }) => held.has(key));
    return {
      ok: true,
      lineage,
      addresses: items.map(({ address }) => address),
      words: `${name} is closed; its ${items.length} items leave when that costs nothing`,
    };
  }
  return refused("bad order", `no conversation has a scope ${JSON.stringify(name.slice(0, 80))}`);
}

/** When a decision acts, as far as the ledger tells. */
function whenText(records: readonly LedgerRecord[], whenFree: boolean): string {
  const last = records.findLast(({ entry }) => entry.type === "request-sent")?.entry;
  if (last?.type === "request-sent" && last.isBound) {
    return "waiting: thinking that was sent may be signed over it, so it acts only on what no thinking follows";
  }
  return whenFree ? "waiting: for a moment that costs nothing" : "from the next request";
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function badCount(name: string, value: number): Extract<OrderAnswer, { ok: false }> {
  return refused("bad order", `${name}: expected a whole number from 0, got ${value}`);
}
