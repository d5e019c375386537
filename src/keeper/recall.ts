import { labelText } from "../engine/marker.ts";
import { parseRange, selectLines } from "../engine/selection.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { PatternEngine } from "../model/ports.ts";
import type { FoundItem, Store, StoredOriginal } from "../model/store.ts";
import type { SizeBound } from "../model/view.ts";
import type { Accounting } from "./accounting.ts";
import type { RecallAnswer, RecallFailure, RecallQuery } from "./contract.ts";
import { renderAnswer } from "./recall-answer.ts";

export interface RecallSettings {
  readonly store: Store;
  readonly patterns: PatternEngine;
  /** Caps one answer. */
  readonly bound: SizeBound;
}

const RECORD_ATTEMPTS_MAX = 3;

/** The stored original of an item, whole or in part; every failure says which one it is. Never throws. */
export async function recallItem(
  query: RecallQuery,
  settings: RecallSettings,
  accounting: Accounting | null,
): Promise<RecallAnswer> {
  try {
    const answer = await answerOf(query, settings, accounting);
    if (answer.ok) accounting?.noteRecall();
    return answer;
  } catch (error) {
    if (!(error instanceof EbbError)) throw error;
    accounting?.noteError(query.atMs, error.code, error.message);
    return failure("store unavailable", error.message);
  }
}

async function answerOf(
  query: RecallQuery,
  { store, patterns, bound }: RecallSettings,
  accounting: Accounting | null,
): Promise<RecallAnswer> {
  const found = chooseItem(query, await store.findItems(query.tenant, query.id));
  if ("ok" in found) return found;
  const { item } = found;
  if (!item.isStored)
    return failure("not stored", `a never_store rule keeps the original of ${query.id} out of the store`);
  const original = await store.getOriginal(query.tenant, item.digest);
  const problem = problemOf(query.id, original);
  if (problem !== null || original.state !== "present") return problem ?? failure("unknown id", query.id);
  const isSliced = query.range !== null || query.pattern !== null;
  if (item.kind === "media") {
    if (isSliced)
      return failure("attachment cannot be sliced", "an attachment comes back whole: leave out range and pattern");
    await record(query, found, store, accounting);
    return {
      ok: true,
      item,
      text: `[ebb ${item.address}] ${labelText(item.label)}, ${item.mediaType}, ${item.bytes} bytes`,
      raw: original.bytes,
    };
  }
  const range = parseRange(query.range);
  if (!range.ok) return failure("bad range", range.words);
  const text = Buffer.from(original.bytes).toString("utf8");
  if (text === "") return failure("empty result", `the original of ${query.id} is empty`);
  const matcher = compile(query, patterns);
  if ("ok" in matcher) return matcher;
  const lines = selectLines(text, range.selection).filter((line) => matcher.test(text.slice(line.start, line.end)));
  await record(query, found, store, accounting);
  return {
    ok: true,
    item,
    raw: original.bytes,
    text: renderAnswer({ item, text, lines, selection: range.selection, pattern: query.pattern, bound }),
  };
}

function chooseItem(query: RecallQuery, found: readonly FoundItem[]): FoundItem | RecallAnswer {
  if (found.length === 0) {
    return failure("unknown id", `no item has the address or call id ${JSON.stringify(query.id.slice(0, 80))}`);
  }
  const own = query.sessionId === null ? found : found.filter((one) => one.sessionId === query.sessionId);
  if (own.length === 0) return failure("belongs to another session", `${query.id} was acquired in another session`);
  const results = own.filter((one) => one.item.kind === "result");
  const candidates = results.length > 0 ? results : own;
  const [first] = candidates;
  const keys = new Set(candidates.map((one) => one.item.key));
  if (first === undefined || keys.size > 1) {
    const addresses = candidates.map((one) => one.item.address).join(", ");
    return failure("ambiguous session", `${query.id} names ${keys.size} items: ${addresses}`);
  }
  return first;
}

function problemOf(id: string, original: StoredOriginal): RecallAnswer | null {
  switch (original.state) {
    case "present":
      return null;
    case "expired":
      return failure("expired by retention", `${id} expired by retention on ${new Date(original.atMs).toISOString()}`);
    case "purged":
      return failure("purged by the user", `${id} was purged on ${new Date(original.atMs).toISOString()}`);
    case "corrupt":
      return failure("damaged in store", `the stored bytes of ${id} do not match their digest`);
    case "unknown":
      return failure("not stored", `the original of ${id} was not stored before the process ended`);
  }
}

type Matcher = { test(line: string): boolean };

function compile(query: RecallQuery, patterns: PatternEngine): Matcher | RecallAnswer {
  if (query.pattern === null) return { test: () => true };
  const compiled = patterns.compile(query.pattern, query.ignoreCase);
  return compiled.ok ? { test: (line) => compiled.test(line) } : failure("bad pattern", compiled.words);
}

/** An original that was read is handed out even where the ledger cannot take a note of it. */
async function record(
  query: RecallQuery,
  found: FoundItem,
  store: Store,
  accounting: Accounting | null,
): Promise<void> {
  try {
    await append(query, found, store);
  } catch (error) {
    if (!(error instanceof EbbError)) throw error;
    accounting?.noteError(query.atMs, error.code, error.message);
  }
}

async function append(query: RecallQuery, found: FoundItem, store: Store): Promise<void> {
  const entry: LedgerEntry = {
    type: "item-recalled",
    address: found.item.address,
    range: query.range,
    pattern: query.pattern,
    by: query.by,
  };
  for (let attempt = 0; attempt < RECORD_ATTEMPTS_MAX; attempt++) {
    const records = await store.loadLineage(query.tenant, found.lineage);
    const outcome = await store.commit({
      tenant: query.tenant,
      lineage: found.lineage,
      expectedSeq: records.at(-1)?.seq ?? 0,
      atMs: query.atMs,
      entries: [entry],
      chain: [],
      originals: [],
    });
    if (outcome.ok || outcome.kind === "full") return;
  }
}

function failure(name: RecallFailure, words: string): RecallAnswer {
  return { ok: false, failure: name, words };
}
