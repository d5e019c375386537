import type { Keeper } from "../keeper/contract.ts";
import type { Order, OrderContext } from "../keeper/order.ts";
import { type Given, type GivenOrder, readOrder, readRecall, readWindow } from "../keeper/order-input.ts";
import { INDEX_ID } from "../keeper/recall.ts";
import { decided, failed, recalled, type ToolAnswer, windowed } from "./answer.ts";
import type { ToolName } from "./definitions.ts";

/** One call of a tool. */
export interface Call {
  readonly tool: ToolName;
  readonly arguments: unknown;
  /** The call's id, where the client passes it on. */
  readonly callId: string | null;
}

/** What a call is answered with. */
export interface CallDesk {
  readonly keeper: Keeper;
  readonly tenant: string;
  readonly nowMs: () => number;
}

/** Most characters of an answer's text where the call states no other number. */
export const CHARS_DEFAULT = 40_000;

/** The conversation a call is made in. */
export interface CallPlace {
  readonly lineage: string;
  readonly sessionId: string | null;
}

/**
 * Answers one call in the conversation it came from: `place`, or what the ledger tells of the call where that is null. Every
 * failure is an answer whose first words name it.
 */
export async function answerCall(call: Call, desk: CallDesk, place: CallPlace | null = null): Promise<ToolAnswer> {
  const asked = { call, desk, place };
  switch (call.tool) {
    case "recall":
      return recall(asked);
    case "hold":
      return decide(asked, readOrder("hold", call.arguments));
    case "release":
      return decide(asked, readOrder("release", call.arguments));
    case "window":
      return window(asked);
  }
}

interface Asked {
  readonly call: Call;
  readonly desk: CallDesk;
  readonly place: CallPlace | null;
}

async function recall(asked: Asked): Promise<ToolAnswer> {
  const given = readRecall(asked.call.arguments);
  if (!given.ok) return failed("bad order", given.words);
  const { order, ...query } = given.value;
  if (order !== null) return decide(asked, { ok: true, value: { order, session: null } });
  const isIndex = query.id === INDEX_ID;
  const place = await placeOf(asked, isIndex ? [] : [query.id]);
  if ("failure" in place) return failed(place.failure, place.words);
  return recalled(await asked.desk.keeper.recall({ ...query, ...place, chars: query.chars ?? CHARS_DEFAULT }));
}

async function decide(asked: Asked, given: Given<GivenOrder>): Promise<ToolAnswer> {
  if (!given.ok) return failed("bad order", given.words);
  const { order, session } = given.value;
  if (session !== null) return failed("bad order", "session: unknown key");
  const place = await placeOf(asked, idsOf(order));
  if ("failure" in place) return failed(place.failure, place.words);
  return decided(await asked.desk.keeper.decide(order, place), CHARS_DEFAULT);
}

async function window(asked: Asked): Promise<ToolAnswer> {
  const range = readWindow(asked.call.arguments);
  if (!range.ok) return failed("bad order", range.words);
  const place = await placeOf(asked, []);
  if ("failure" in place) return failed(place.failure, place.words);
  return windowed(await asked.desk.keeper.window(place), range.value, CHARS_DEFAULT);
}

type AgentContext = OrderContext & { readonly by: "agent" };

type Unplaced = { readonly failure: "ambiguous session" | "store unavailable"; readonly words: string };

/** The conversation a call acts in. Where the call's own is not known, the item that an id names tells it. */
async function placeOf({ call, desk, place }: Asked, ids: readonly string[]): Promise<AgentContext | Unplaced> {
  const { tenant } = desk;
  const caller = { tenant, by: "agent", atMs: desk.nowMs() } as const;
  if (place !== null) return { ...caller, lineage: place.lineage, sessionId: place.sessionId };
  const isAddressed = ids.length > 0;
  const binding = await desk.keeper.bind({ tenant, callId: call.callId, tool: call.tool, isAddressed });
  switch (binding.state) {
    case "bound":
      return { ...caller, lineage: binding.lineage, sessionId: binding.sessionId };
    case "failed":
      return { failure: "store unavailable", words: binding.words };
    case "unbound":
      if (isAddressed) return { ...caller, lineage: null, sessionId: null };
      return { failure: "ambiguous session", words: binding.words };
  }
}

function idsOf(order: Order): readonly string[] {
  switch (order.verb) {
    case "keep":
      return [order.id];
    case "close":
      return [];
    case "release":
    case "hold":
    case "unhold":
    case "protect":
    case "unprotect":
      return order.targets.ids;
  }
}
