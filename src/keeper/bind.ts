import { EbbError } from "../lib/ebb-error.ts";
import type { LedgerRecord } from "../model/ledger.ts";
import type { Store } from "../model/store.ts";
import { START_WORDS } from "./no-conversation.ts";

/** A tool call as a tool server hears of it. */
export interface ToolCall {
  readonly tenant: string;
  /** The call's id, where the client passes it on. */
  readonly callId: string | null;
  /** The tool's own name, without what a client puts before it. */
  readonly tool: string;
  /** An id among the call's arguments tells the conversation as well, so the call is not waited for as long. */
  readonly isAddressed: boolean;
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

/** Looks after those, while a response is under way: clients make a call before the response around it is complete. */
export const BIND_LATE_LOOKS_MAX = 40;

/** Pauses before each of the late looks. With the pause below, a call is waited for up to 20 seconds. */
const LATE_PAUSES = 6;

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
    const memory: LookMemory = { rested: new Map(), asked: null };
    let found = await look(call, desk.store, memory);
    for (let looks = 1; looks < BIND_LOOKS_MAX && !isSettled(found, call); looks++) {
      await desk.pause();
      found = await look(call, desk.store, memory);
    }
    if (call.isAddressed) return bindingOf(found, call);
    for (let looks = 0; looks < BIND_LATE_LOOKS_MAX && mayComeLate(found, call); looks++) {
      for (let pauses = 0; pauses < LATE_PAUSES; pauses++) await desk.pause();
      found = await look(call, desk.store, memory);
    }
    return bindingOf(found, call);
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
  /** A response that was under way at the first look still is: it may turn out to contain the call. */
  readonly isAwaiting: boolean;
}

/** A response under way may bring the call as well, so a name tells enough only where none is. */
function isSettled({ callers, isAwaiting }: Looked, { callId }: ToolCall): boolean {
  if (callId === null) return callers.length > 0 && !isAwaiting;
  return callers.some(({ isAnswered }) => !isAnswered);
}

/** An id tells which response it is once any contained it; a name does not while one is under way. */
function mayComeLate({ callers, isAwaiting }: Looked, { callId }: ToolCall): boolean {
  return isAwaiting && (callId === null || callers.length === 0);
}

/** What one look leaves for the next. */
interface LookMemory {
  /** Lineages that await nothing, as they were read: they stay so until a later request. */
  readonly rested: Map<string, { readonly lastAtMs: number; readonly end: End }>;
  /** The last request of each lineage at the first look. No later one can have brought the call, which was there before. */
  asked: ReadonlySet<string> | null;
}

async function look(call: ToolCall, store: Store, memory: LookMemory): Promise<Looked> {
  const { rested } = memory;
  const listed = await store.listLineages(call.tenant, ACTIVE_MAX);
  const newestMs = listed[0]?.lastAtMs ?? 0;
  const ends: (Pick<Caller, "lineage" | "sessionId"> & End)[] = [];
  for (const { lineage, sessionId, lastAtMs } of listed) {
    if (lastAtMs < newestMs - ACTIVE_MS) break;
    const known = rested.get(lineage);
    const end = known?.lastAtMs === lastAtMs ? known.end : endOf(await store.loadLineage(call.tenant, lineage));
    if (!end.isAwaiting) rested.set(lineage, { lastAtMs, end });
    ends.push({ lineage, sessionId, ...end });
  }
  const asked = memory.asked ?? new Set(ends.flatMap(({ requestId }) => requestId ?? []));
  memory.asked = asked;
  const possible = ends.filter(({ requestId }) => requestId !== null && asked.has(requestId));
  const isAnswered: Answered = (id, atMs) => ends.some(({ resultsAtMs }) => (resultsAtMs.get(id) ?? -1) >= atMs);
  const callers = (call.callId === null ? possible : ends).filter((end) => isCaller(end, call, isAnswered));
  return {
    callers: callers.map(({ lineage, sessionId, isAwaiting }) => ({ lineage, sessionId, isAnswered: isAwaiting })),
    isAwaiting: possible.some(({ isAwaiting }) => isAwaiting),
  };
}

interface End {
  /** The last request that went out. */
  readonly requestId: string | null;
  /** Calls of the last response that was recorded. */
  readonly calls: readonly Call[];
  /** When that response was asked for. */
  readonly calledAtMs: number;
  /** When results entered the window, by call id; after a client's compaction the call is one of another lineage. */
  readonly resultsAtMs: ReadonlyMap<string, number>;
  /** No response is recorded for the last request. */
  readonly isAwaiting: boolean;
}

function endOf(records: readonly LedgerRecord[]): End {
  const request = records.findLast(({ entry }) => entry.type === "request-sent")?.entry;
  const requestId = request?.type === "request-sent" ? request.requestId : null;
  const responses = records.flatMap(({ entry, atMs }) => (entry.type === "response-seen" ? [{ ...entry, atMs }] : []));
  const last = responses.at(-1);
  const own = ownNamesIn(records);
  const resultsAtMs = new Map<string, number>();
  for (const { entry, atMs } of records) {
    if (entry.type === "item-acquired" && entry.item.callId !== null) resultsAtMs.set(entry.item.callId, atMs);
  }
  const isAwaiting = requestId !== null && !responses.some((response) => response.requestId === requestId);
  return {
    requestId,
    calls: (last?.calls ?? []).filter(({ name }) => !own.has(name)),
    calledAtMs: last?.atMs ?? 0,
    resultsAtMs,
    isAwaiting,
  };
}

/** Tools that Ebb answers inside the stream of the conversation: no tool server hears of a call of theirs. */
function ownNamesIn(records: readonly LedgerRecord[]): ReadonlySet<string> {
  return new Set(records.flatMap(({ entry }) => (entry.type === "tools-offered" ? entry.names : [])));
}

/** True when the result of a call entered a window, anywhere, since the time. */
type Answered = (callId: string, sinceMs: number) => boolean;

function isCaller({ calls, calledAtMs, isAwaiting }: End, { callId, tool }: ToolCall, isAnswered: Answered): boolean {
  if (callId !== null) return calls.some(({ id }) => id === callId);
  return !isAwaiting && calls.some(({ id, name }) => isOwnTool(name, tool) && !isAnswered(id, calledAtMs));
}

/** `mcp__ebb__recall`, `ebb_recall`, `recall`: whatever a client puts before the name, `ebb` is a word of it. */
function isOwnTool(name: string, tool: string): boolean {
  const words = name.split(/[^A-Za-z0-9]+/);
  return name === tool || (words.at(-1) === tool && words.slice(0, -1).includes("ebb"));
}

/** Calls that wait come first: an answered one is meant only where nothing waits. */
function bindingOf(found: Looked, call: ToolCall): Binding {
  const waiting = found.callers.filter(({ isAnswered }) => !isAnswered);
  const callers = waiting.length > 0 ? waiting : found.callers;
  const [only, other] = callers;
  const what = call.callId === null ? `a call of ${call.tool}` : `this call of ${call.tool}`;
  if (other !== undefined) return { state: "unbound", words: `${callers.length} conversations made ${what}` };
  if (mayComeLate(found, call)) {
    return { state: "unbound", words: `a response that is still under way may have made ${what}: ask again after it` };
  }
  if (only === undefined)
    return { state: "unbound", words: `no conversation that Ebb carries made ${what}; ${START_WORDS}` };
  return { state: "bound", lineage: only.lineage, sessionId: only.sessionId };
}
