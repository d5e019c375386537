import { EbbError } from "../lib/ebb-error.ts";
import { printable } from "../lib/printable.ts";
import type { LedgerRecord } from "../model/ledger.ts";
import type { Store } from "../model/store.ts";

/** A tool call as a tool server hears of it. */
export interface ToolCall {
  readonly tenant: string;
  /** The call's id, where the client passes it on. */
  readonly callId: string | null;
  /** The tool's own name, without what a client puts before it. */
  readonly tool: string;
}

/** The conversation a call came from; `unbound` where none or several could have made it, and `words` says which. */
export type Binding =
  | { readonly state: "bound"; readonly lineage: string; readonly sessionId: string | null }
  | { readonly state: "unbound"; readonly words: string }
  | { readonly state: "failed"; readonly words: string };

/** What finding a call's conversation needs. */
export interface BindDesk {
  readonly store: Store;
  /** Lets the writer of the ledger go on; what it writes may be read afterwards. */
  pause(): Promise<void>;
}

/** How often the ledger is looked at: the end of a response is recorded just after the client has seen it. */
export const BIND_LOOKS_MAX = 12;

/** How long the pauses between two looks are. */
export const BIND_PAUSE_MS = 80;

/** Conversations that were quiet for longer than this when the newest one went on are not waiting for an answer. */
const ACTIVE_MS = 60 * 60 * 1000;
const ACTIVE_MAX = 32;

/**
 * Binds a call to the lineage whose last response contained it: by the call's id where the client passes one on, else by
 * the tool's name among the calls that nothing answered yet. Looks again, a bounded number of times, while a response
 * that may contain the call is still on its way. Never guesses, never throws for the store.
 */
export async function bindCall(call: ToolCall, desk: BindDesk): Promise<Binding> {
  try {
    const rested: Rested = new Map();
    let found = await look(call, desk.store, rested);
    for (let looks = 1; looks < BIND_LOOKS_MAX && !isSettled(found, call); looks++) {
      await desk.pause();
      found = await look(call, desk.store, rested);
    }
    return bindingOf(found.callers, call);
  } catch (error) {
    if (!(error instanceof EbbError)) throw error;
    return { state: "failed", words: error.message };
  }
}

type Call = Extract<LedgerRecord["entry"], { type: "response-seen" }>["calls"][number];

/** A lineage that made the call, or may have. */
interface Caller {
  readonly lineage: string;
  readonly sessionId: string | null;
  /** A later request of the lineage answered the call already. */
  readonly isAnswered: boolean;
}

interface Looked {
  readonly callers: readonly Caller[];
  /** A response is under way somewhere: it may turn out to contain the call. */
  readonly isAwaiting: boolean;
}

/** A response under way may bring the call as well, so a name tells enough only where none is. */
function isSettled({ callers, isAwaiting }: Looked, { callId }: ToolCall): boolean {
  if (callId === null) return callers.length > 0 && !isAwaiting;
  return callers.some(({ isAnswered }) => !isAnswered);
}

/** Lineages that await nothing, as they were read: they stay so until a later request. */
type Rested = Map<string, { readonly lastAtMs: number; readonly end: End }>;

async function look(call: ToolCall, store: Store, rested: Rested): Promise<Looked> {
  const listed = await store.listLineages(call.tenant, ACTIVE_MAX);
  const newestMs = listed[0]?.lastAtMs ?? 0;
  const callers: Caller[] = [];
  let isAwaiting = false;
  for (const { lineage, sessionId, lastAtMs } of listed) {
    if (lastAtMs < newestMs - ACTIVE_MS) break;
    const known = rested.get(lineage);
    const end = known?.lastAtMs === lastAtMs ? known.end : endOf(await store.loadLineage(call.tenant, lineage));
    if (end.isAwaiting) isAwaiting = true;
    else rested.set(lineage, { lastAtMs, end });
    if (isCaller(end, call)) callers.push({ lineage, sessionId, isAnswered: end.isAwaiting });
  }
  return { callers, isAwaiting };
}

interface End {
  /** Calls of the last response that was recorded. */
  readonly calls: readonly Call[];
  /** A request went out that no response is recorded for. */
  readonly isAwaiting: boolean;
}

function endOf(records: readonly LedgerRecord[]): End {
  const request = records.findLast(({ entry }) => entry.type === "request-sent")?.entry;
  const responses = records.flatMap(({ entry }) => (entry.type === "response-seen" ? [entry] : []));
  const isAwaiting =
    request?.type === "request-sent" && !responses.some(({ requestId }) => requestId === request.requestId);
  return { calls: responses.at(-1)?.calls ?? [], isAwaiting };
}

function isCaller({ calls, isAwaiting }: End, { callId, tool }: ToolCall): boolean {
  if (callId !== null) return calls.some(({ id }) => id === callId);
  return !isAwaiting && calls.some(({ name }) => isOwnTool(name, tool));
}

/** `mcp__ebb__recall`, `ebb_recall`, `recall`: whatever a client puts before the name, `ebb` is a word of it. */
function isOwnTool(name: string, tool: string): boolean {
  const words = name.split(/[^A-Za-z0-9]+/);
  return name === tool || (words.at(-1) === tool && words.slice(0, -1).includes("ebb"));
}

/** Calls that wait come first: an answered one is meant only where nothing waits. */
function bindingOf(found: readonly Caller[], { callId, tool }: ToolCall): Binding {
  const waiting = found.filter(({ isAnswered }) => !isAnswered);
  const callers = waiting.length > 0 ? waiting : found;
  const [only, other] = callers;
  const what = callId === null ? `a call of ${tool}` : `the call ${printable(callId)}`;
  if (only === undefined) return { state: "unbound", words: `no conversation that Ebb carries made ${what}` };
  if (other !== undefined) return { state: "unbound", words: `${callers.length} conversations made ${what}` };
  return { state: "bound", lineage: only.lineage, sessionId: only.sessionId };
}
