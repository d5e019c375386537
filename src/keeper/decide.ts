import { untilText } from "../engine/deliberate.ts";
import { keptText } from "../engine/kept-text.ts";
import { parseRange } from "../engine/selection.ts";
import { EbbError } from "../lib/ebb-error.ts";
import { decodeWtf8 } from "../lib/wtf8.ts";
import type { ItemRecord, LedgerEntry } from "../model/ledger.ts";
import type { TokenCounter } from "../model/ports.ts";
import type { DiffEngine } from "../model/report.ts";
import type { Store } from "../model/store.ts";
import type { Until, Wish } from "../model/wish.ts";
import { carriersIn } from "./carriers.ts";
import type { Mode } from "./contract.ts";
import { type Order, type OrderAnswer, type OrderContext, REASON_CHARS_MAX, type Targets } from "./order.ts";
import { declarationEntries, untilOf, wishEntries } from "./order-entries.ts";
import { type Refusal, refused } from "./order-refusal.ts";
import { type Aim, aimAt } from "./order-targets.ts";
import { whenOf } from "./order-when.ts";
import { readOriginal } from "./read-original.ts";
import { closeScope } from "./scope-closing.ts";
import { openScope, opensScope } from "./scope-opening.ts";

/** What deciding needs of a keeper. */
export interface DecisionDesk {
  readonly store: Store;
  readonly tokens: TokenCounter;
  readonly diff: DiffEngine;
  readonly mode: Mode;
  readonly isPaused: boolean;
  /** Wait for a moment that costs nothing instead of acting at the next request. */
  readonly whenFree: boolean;
  /** Resolves when no original is on its way to the store any more. */
  whenStored(): Promise<void>;
  append(lineage: string, entries: readonly LedgerEntry[], context: OrderContext): Promise<void>;
}

/** Records an order in the ledger before it answers. Never throws for the store. */
export async function decide(order: Order, context: OrderContext, desk: DecisionDesk): Promise<OrderAnswer> {
  try {
    if (order.reason.trim() === "") return refused("bad order", `${order.verb} needs a reason, got an empty one`);
    if (order.reason.length > REASON_CHARS_MAX) {
      return refused("bad order", `a reason has at most ${REASON_CHARS_MAX} characters, got ${order.reason.length}`);
    }
    if (order.verb === "close") return await closeScope(order, context, desk);
    if (opensScope(order)) return await openScope(order, context, desk);
    const aim = await aimAt(targetsOf(order), context, desk.store, {
      bindsPaths: order.verb !== "keep" && order.verb !== "release",
    });
    return "ok" in aim ? aim : await record(order, aim, context, desk);
  } catch (error) {
    if (!(error instanceof EbbError)) throw error;
    return refused("store unavailable", error.message);
  }
}

type ItemOrder = Exclude<Order, { verb: "close" }>;

function targetsOf(order: ItemOrder): Targets {
  return order.verb === "keep" ? { ids: [order.id], paths: [], latest: null } : order.targets;
}

async function record(order: ItemOrder, aim: Aim, context: OrderContext, desk: DecisionDesk): Promise<OrderAnswer> {
  const built = await entriesOf(order, aim, context, desk);
  if ("ok" in built) return built;
  await desk.append(aim.lineage, built.entries, context);
  return {
    ok: true,
    lineage: aim.lineage,
    addresses: (built.items ?? aim.items).map(({ address }) => address),
    words: built.words,
  };
}

interface Built {
  readonly entries: readonly LedgerEntry[];
  /** The items it is about, where these are not all that were named. */
  readonly items?: readonly ItemRecord[];
  /** What was decided and when it acts. */
  readonly words: string;
}

async function entriesOf(
  order: ItemOrder,
  aim: Aim,
  context: OrderContext,
  desk: DecisionDesk,
): Promise<Built | Refusal> {
  const motive = { reason: order.reason, by: context.by };
  switch (order.verb) {
    case "keep": {
      const item = aim.items.find(({ bytes }) => bytes > 0) ?? aim.items[0];
      const wish = await keepWish(order.range, item, context, desk);
      if ("ok" in wish) return wish;
      // A part is one of a text; the whole is all that a call brought.
      const items = wish.kind === "keep" && item !== undefined ? [item] : aim.items;
      const words = await wishWords(wish, { ...aim, items }, context, desk);
      return { items, entries: wishEntries(items, wish, motive), words };
    }
    case "release": {
      const wish: Wish = { kind: "release" };
      const items = withoutCarriers(aim.items, order.targets.ids);
      const words = await wishWords(wish, { ...aim, items }, context, desk);
      return { items, entries: wishEntries(items, wish, motive), words };
    }
    case "hold":
    case "protect": {
      const until = untilOf(order.lifetime, aim);
      if (!("kind" in until)) return until;
      const kind = order.verb === "hold" ? "held" : "protected";
      const undone = kind === "held" ? aim.items.filter((item) => isPending(item, aim)) : [];
      return {
        entries: [...wishEntries(undone, { kind: "whole" }, motive), ...declarationEntries(kind, aim, until, motive)],
        words: declaredWords(kind, aim, until, undone),
      };
    }
    case "unhold":
    case "unprotect": {
      const kind = order.verb === "unhold" ? "held" : "protected";
      const words = kind === "held" ? "has no declared lifetime from now on" : "is not protected from now on";
      return { entries: declarationEntries(kind, aim, null, motive), words: `${namesOf(aim)} ${words}` };
    }
  }
}

/** Of a result with attachments only these leave, and its text stays, unless its own address is named. */
function withoutCarriers(items: readonly ItemRecord[], ids: readonly string[]): readonly ItemRecord[] {
  const carriers = new Set(items.flatMap(({ kind, callId }) => (kind === "media" && callId !== null ? [callId] : [])));
  return items.filter(
    ({ kind, callId, address }) => kind === "media" || !carriers.has(callId ?? "") || ids.includes(address),
  );
}

/** Keeping the whole, or every line of it, undoes; keeping nothing is refused here and never rendered. */
async function keepWish(
  range: string | null,
  item: ItemRecord | undefined,
  context: OrderContext,
  desk: DecisionDesk,
): Promise<Wish | Refusal> {
  const parsed = parseRange(range);
  if (!parsed.ok) return refused("bad range", parsed.words);
  const { from, to, chars } = parsed.selection;
  if (from === 1 && to === null && chars === null) return { kind: "whole" };
  if (item === undefined) return refused("unknown id", "nothing to keep");
  if (item.kind === "media") return refused("attachment cannot be sliced", "an attachment is kept whole or not at all");
  if (chars !== null) return refused("bad range", "whole lines are kept, not a part of one");
  const text = await textOf(item, context, desk);
  if (text === null) {
    return refused("not a finished result", `the original of ${item.address} is not in the store`);
  }
  if (text === "") return refused("empty result", `the original of ${item.address} is empty`);
  const kept = keptText(text, { from, to }, item.label);
  if (kept === "")
    return refused("selects nothing", `range ${JSON.stringify(range)} selects nothing of ${item.address}`);
  return kept === text ? { kind: "whole" } : { kind: "keep", range: { from, to } };
}

/** Originals larger than this are not read only to tell whether a marker is smaller. */
const SIZED_BYTES_MAX = 65_536;

async function wishWords(wish: Wish, aim: Aim, context: OrderContext, desk: DecisionDesk): Promise<string> {
  const groups = new Map<string, string[]>();
  const ground = { ...aim, ...desk, carriers: carriersIn(aim.records) };
  for (const item of aim.items) {
    const text = item.bytes > SIZED_BYTES_MAX ? null : await textOf(item, context, desk);
    const when = whenOf(item, wish, text, ground);
    const words = when.state === "done" ? "stands so already" : when.words;
    groups.set(words, [...(groups.get(words) ?? []), item.address]);
  }
  return Array.from(groups, ([words, names]) => `${names.join(", ")} ${WISH_WORDS[wish.kind]}; ${words}`).join(". ");
}

const WISH_WORDS: Readonly<Record<Wish["kind"], string>> = {
  release: "let go",
  keep: "kept in part",
  whole: "wanted in full",
};

/** A release or a keep that still waits gives way to a hold that is declared after it: the last decision counts. */
function isPending(item: ItemRecord, { standing }: Aim): boolean {
  const wish = standing.deliberate.wishes.get(item.key)?.wish ?? null;
  return wish !== null && wish.kind !== "whole" && !standing.decisions.has(item.key);
}

function declaredWords(kind: "held" | "protected", aim: Aim, until: Until, undone: readonly ItemRecord[]): string {
  const gone = aim.items.filter(({ key }) => aim.standing.decisions.has(key));
  const taken = undone.length === 0 ? "" : `; what was waiting about ${addressesOf(undone)} is taken back`;
  const absent = aim.items.filter(({ key }) => aim.isLeftBehind || !aim.standing.acquired.has(key));
  const lost =
    absent.length === 0
      ? ""
      : `; no request holds ${addressesOf(absent)} any more, after a rewind or the client's compaction: recall answers with it`;
  const words = `${namesOf(aim)} ${kind} ${untilText(until)}, from now on${taken}${lost}`;
  return gone.length === 0
    ? words
    : `${words}; ${addressesOf(gone)} left before and stays behind its marker: keep brings it back`;
}

function namesOf({ items, paths }: Aim): string {
  const names = addressesOf(items);
  if (paths.length === 0) return names;
  const later = `what is acquired of ${paths.join(", ")} later`;
  return names === "" ? later : `${names}, and ${later},`;
}

function addressesOf(items: readonly ItemRecord[]): string {
  return items.map(({ address }) => address).join(", ");
}

/** Null where the store does not have it. */
async function textOf(
  { digest }: ItemRecord,
  { tenant }: OrderContext,
  { store, whenStored }: DecisionDesk,
): Promise<string | null> {
  const original = await readOriginal({ tenant, digest }, store, whenStored);
  return original.state === "present" ? decodeWtf8(original.bytes) : null;
}
