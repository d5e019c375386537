import { decodeChangeText } from "../engine/change-text.ts";
import { reportOf } from "../engine/report.ts";
import { type ChangeSources, changesOf } from "../engine/report-files.ts";
import { findScope, type History } from "../engine/report-span.ts";
import { wholeTextOf } from "../engine/whole-read.ts";
import { EbbError } from "../lib/ebb-error.ts";
import { decodeWtf8 } from "../lib/wtf8.ts";
import type { ChangeText } from "../model/acquisition.ts";
import type { Digest } from "../model/item.ts";
import type { LedgerRecord } from "../model/ledger.ts";
import type { DiffEngine, Report } from "../model/report.ts";
import type { LineageSummary, Store } from "../model/store.ts";
import type { OrderContext } from "./order.ts";
import { lineageNamed } from "./order-lineage.ts";
import { readOriginal } from "./read-original.ts";
import { historyOf } from "./report-history.ts";

/** Which account is asked for; the context names the conversation where several could be meant. */
export interface ReportQuery {
  /** A scope, open or closed; null: the whole conversation. */
  readonly scope: string | null;
}

export type ReportAnswer =
  | { readonly ok: true; readonly report: Report }
  | {
      readonly ok: false;
      readonly failure: "unknown scope" | "unknown session" | "ambiguous session" | "store unavailable";
      readonly words: string;
    };

/** What reporting needs of a keeper. */
export interface ReportDesk {
  readonly store: Store;
  readonly diff: DiffEngine;
  whenStored(): Promise<void>;
}

const LISTED_MAX = 200;

/** The account of a working set or a conversation, from the ledger and the originals alone. Never throws for the store. */
export async function answerReport(
  { scope }: ReportQuery,
  context: OrderContext,
  desk: ReportDesk,
): Promise<ReportAnswer> {
  try {
    const load = rememberedLoads(context.tenant, desk.store);
    const found = scope === null ? await conversation(context, desk, load) : await holder(scope, context, desk, load);
    if ("ok" in found) return found;
    const report = await reportIn(found, scope, context, desk);
    return report === null ? unknownScope(scope ?? "") : { ok: true, report };
  } catch (error) {
    if (!(error instanceof EbbError)) throw error;
    return { ok: false, failure: "store unavailable", words: error.message };
  }
}

/** The report of a scope in a lineage that has it; null where it has none of that name. */
export async function reportOfScope(
  scope: string,
  lineage: string,
  context: OrderContext,
  desk: ReportDesk,
): Promise<Report | null> {
  const history = await historyOf(lineage, rememberedLoads(context.tenant, desk.store));
  return reportIn({ lineage, history }, scope, context, desk);
}

type Load = (lineage: string) => Promise<readonly LedgerRecord[]>;
type Refusal = Extract<ReportAnswer, { ok: false }>;

interface Found {
  readonly lineage: string;
  readonly history: History;
}

async function reportIn(
  { lineage, history }: Found,
  scope: string | null,
  { tenant }: OrderContext,
  desk: ReportDesk,
): Promise<Report | null> {
  const opening = history.at(-1)?.records[0]?.entry;
  const sessionId = opening?.type === "lineage-opened" ? opening.sessionId : null;
  const sources = await loadSources(history, tenant, desk);
  return reportOf({ lineage, sessionId, history, scope, sources });
}

async function conversation(context: OrderContext, { store }: ReportDesk, load: Load): Promise<Found | Refusal> {
  const lineage = await lineageNamed({ ids: [] }, context, store);
  if (typeof lineage === "string") return { lineage, history: await historyOf(lineage, load) };
  const failure = lineage.failure === "ambiguous session" ? lineage.failure : "unknown session";
  return { ok: false, failure, words: lineage.words };
}

/** Of each conversation the newest history that knows the scope; several are never chosen from. */
async function holder(
  scope: string,
  { tenant, lineage: own, sessionId }: OrderContext,
  { store }: ReportDesk,
  load: Load,
): Promise<Found | Refusal> {
  const listed = own === null ? await store.listLineages(tenant, LISTED_MAX) : [];
  const wanted = listed.filter((one) => sessionId === null || one.sessionId === sessionId);
  const places = own === null ? wanted.map(placeOf) : [{ lineage: own, conversation: own }];
  const holders = new Map<string, Found>();
  for (const { lineage, conversation: name } of places) {
    if (holders.has(name)) continue;
    const history = await historyOf(lineage, load);
    if (findScope(scope, history) !== null) holders.set(name, { lineage, history });
  }
  const [found, other] = holders.values();
  if (found === undefined) return unknownScope(scope);
  if (other === undefined) return found;
  const words = `${holders.size} conversations have a scope ${shown(scope)}; name one with its session id`;
  return { ok: false, failure: "ambiguous session", words };
}

function placeOf({ lineage, sessionId, agentId }: LineageSummary) {
  return { lineage, conversation: JSON.stringify([sessionId, agentId]) };
}

function unknownScope(scope: string): Refusal {
  return { ok: false, failure: "unknown scope", words: `no conversation has a scope ${shown(scope)}` };
}

function shown(scope: string): string {
  return JSON.stringify(scope.slice(0, 80));
}

function rememberedLoads(tenant: string, store: Store): Load {
  const loads = new Map<string, Promise<readonly LedgerRecord[]>>();
  return (lineage) => {
    const known = loads.get(lineage) ?? store.loadLineage(tenant, lineage);
    loads.set(lineage, known);
    return known;
  };
}

async function loadSources(
  history: History,
  tenant: string,
  { store, diff, whenStored }: ReportDesk,
): Promise<ChangeSources> {
  const texts = new Map<Digest, ChangeText | null>();
  const wholes = new Map<Digest, string | null>();
  for (const { text, base } of changesOf(history)) {
    if (text !== null && !texts.has(text)) {
      const bytes = await bytesOf(text);
      texts.set(text, bytes === null ? null : decodeChangeText(bytes));
    }
    if (base !== null && !wholes.has(base)) {
      const bytes = await bytesOf(base);
      wholes.set(base, bytes === null ? null : wholeTextOf(decodeWtf8(bytes)));
    }
  }
  return {
    diff,
    changeTextOf: (digest) => texts.get(digest) ?? null,
    wholeTextOf: (digest) => wholes.get(digest) ?? null,
  };

  async function bytesOf(digest: Digest): Promise<Uint8Array | null> {
    const original = await readOriginal({ tenant, digest }, store, whenStored);
    return original.state === "present" ? original.bytes : null;
  }
}
