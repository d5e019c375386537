import { labelText } from "../engine/marker.ts";
import { EMPTY_STANDING, foldLedger, type LineageStanding } from "../engine/standing.ts";
import type { Decision } from "../model/decision.ts";
import type { Address, ItemKey } from "../model/item.ts";
import type { ItemRecord } from "../model/ledger.ts";
import type { Store } from "../model/store.ts";
import type { RecallAnswer, RecallQuery } from "./contract.ts";
import { NO_CONVERSATION } from "./no-conversation.ts";
import { sessionNames } from "./order-lineage.ts";
import { failure } from "./recall-choice.ts";
import { type History, historiesOf } from "./recall-history.ts";

/** What left, one line an item, the newest first; "" where nothing left. */
export interface RecallIndex {
  readonly title: string;
  readonly text: string;
}

interface Row {
  readonly address: Address;
  readonly item: ItemRecord | null;
  readonly words: string;
  readonly atMs: number;
}

const LISTED_MAX = 200;

/**
 * Everything that stands behind a marker in a session, or left it by a client's compaction, in whichever lineage of it.
 * An item put back in full is not listed. Several sessions and none named: nothing is guessed.
 */
export async function indexOf(
  query: RecallQuery,
  store: Store,
): Promise<RecallIndex | (RecallAnswer & { readonly ok: false })> {
  const { tenant, lineage = null } = query;
  if (lineage !== null) return indexText(await historiesOf(tenant, [lineage], store), "what left this conversation");
  const listed = await store.listLineages(tenant, LISTED_MAX);
  const sessions = new Set(listed.map((one) => one.sessionId));
  const sessionId = query.sessionId ?? (sessions.size === 1 ? (listed[0]?.sessionId ?? null) : null);
  if (listed.length === 0) return failure("unknown id", NO_CONVERSATION);
  if (query.sessionId !== null && !sessions.has(query.sessionId)) {
    return failure("unknown id", `no conversation is known of session ${JSON.stringify(query.sessionId.slice(0, 80))}`);
  }
  if (query.sessionId === null && sessions.size > 1) {
    return failure(
      "ambiguous session",
      `${sessions.size} sessions are known, newest first: ${sessionNames(sessions)}; name one`,
    );
  }
  const own = listed.filter((one) => one.sessionId === sessionId).map((one) => one.lineage);
  const title = `what left session ${sessionId ?? "without a name"}`;
  return indexText(await historiesOf(tenant, own, store), title);
}

function indexText(histories: readonly History[], title: string): RecallIndex {
  const rows = rowsOf(histories).sort((left, right) => right.atMs - left.atMs);
  return { title, text: rows.map(lineOf).join("") };
}

/** The newest history that knows an item says where it stands. */
function rowsOf(histories: readonly History[]): Row[] {
  const { items, leftAtMs } = knownOf(histories);
  const seen = new Set<ItemKey>();
  const rows: Row[] = [];
  for (const { records, foldedAtMs } of histories) {
    const standing = foldLedger(EMPTY_STANDING, records);
    for (const key of new Set([...standing.decisions.keys(), ...standing.acquired.keys()])) {
      if (seen.has(key)) continue;
      seen.add(key);
      const item = items.get(key) ?? null;
      const decision = standing.decisions.get(key);
      if (decision !== undefined) {
        rows.push(releasedRow(decision, item, standing, leftAtMs.get(key) ?? records[0]?.atMs ?? 0));
      } else if (foldedAtMs !== null && item !== null) {
        rows.push({ address: item.address, item, words: "folded by the client's compaction", atMs: foldedAtMs });
      }
    }
  }
  return rows;
}

interface Known {
  readonly items: ReadonlyMap<ItemKey, ItemRecord>;
  /** When an item left last, Unix time. */
  readonly leftAtMs: ReadonlyMap<ItemKey, number>;
}

function knownOf(histories: readonly History[]): Known {
  const items = new Map<ItemKey, ItemRecord>();
  const leftAtMs = new Map<ItemKey, number>();
  for (const { entry, atMs } of histories.flatMap(({ records }) => records)) {
    if (entry.type === "item-acquired") items.set(entry.item.key, entry.item);
    if (entry.type !== "item-released") continue;
    const { itemKey } = entry.decision;
    leftAtMs.set(itemKey, Math.max(atMs, leftAtMs.get(itemKey) ?? 0));
  }
  return { items, leftAtMs };
}

function releasedRow(decision: Decision, item: ItemRecord | null, { deliberate }: LineageStanding, atMs: number): Row {
  const { address, reason, moment, turn, step, wish } = decision;
  const said = wish === null ? undefined : deliberate.wishes.get(decision.itemKey)?.reason;
  const why = said === undefined ? "" : ` (${said.replace(/\s+/g, " ")})`;
  return { address, item, words: `${reason} at ${moment}${why}, turn ${turn} step ${step}`, atMs };
}

function lineOf({ address, item, words, atMs }: Row): string {
  const what =
    item === null
      ? "result"
      : item.kind === "media"
        ? `${labelText(item.label)}, ${item.mediaType}, ${item.bytes} bytes`
        : `${labelText(item.label)}, ${item.lines} lines, ${item.bytes} bytes`;
  return `${address}  ${what}: ${words}, ${new Date(atMs).toISOString()}\n`;
}
