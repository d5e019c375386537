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

/** Answers one call in the conversation it came from. Every failure is an answer whose first words name it. */
export async function answerCall(call: Call, desk: CallDesk): Promise<ToolAnswer> {
  switch (call.tool) {
    case "recall":
      return recall(call, desk);
    case "hold":
      return decide(call, readOrder("hold", call.arguments), desk);
    case "release":
      return decide(call, readOrder("release", call.arguments), desk);
    case "window":
      return window(call, desk);
  }
}

async function recall(call: Call, desk: CallDesk): Promise<ToolAnswer> {
  const given = readRecall(call.arguments);
  if (!given.ok) return failed("bad order", given.words);
  const { order, ...query } = given.value;
  if (order !== null) return decide(call, { ok: true, value: { order, session: null } }, desk);
  const isIndex = query.id === INDEX_ID;
  const place = await placeOf(call, isIndex ? [] : [query.id], desk);
  if ("failure" in place) return failed(place.failure, place.words);
  return recalled(await desk.keeper.recall({ ...query, ...place, chars: query.chars ?? CHARS_DEFAULT }));
}

async function decide(call: Call, given: Given<GivenOrder>, desk: CallDesk): Promise<ToolAnswer> {
  if (!given.ok) return failed("bad order", given.words);
  const { order, session } = given.value;
  if (session !== null) return failed("bad order", "session: unknown key");
  const place = await placeOf(call, idsOf(order), desk);
  if ("failure" in place) return failed(place.failure, place.words);
  return decided(await desk.keeper.decide(order, place), CHARS_DEFAULT);
}

async function window(call: Call, desk: CallDesk): Promise<ToolAnswer> {
  const range = readWindow(call.arguments);
  if (!range.ok) return failed("bad order", range.words);
  const place = await placeOf(call, [], desk);
  if ("failure" in place) return failed(place.failure, place.words);
  return windowed(await desk.keeper.window(place), range.value, CHARS_DEFAULT);
}

type AgentContext = OrderContext & { readonly by: "agent" };

type Unplaced = { readonly failure: "ambiguous session" | "store unavailable"; readonly words: string };

/** The conversation a call acts in. Where the call's own is not known, the item that an id names tells it. */
async function placeOf(call: Call, ids: readonly string[], desk: CallDesk): Promise<AgentContext | Unplaced> {
  const { tenant } = desk;
  const isAddressed = ids.length > 0;
  const binding = await desk.keeper.bind({ tenant, callId: call.callId, tool: call.tool, isAddressed });
  const caller = { tenant, by: "agent", atMs: desk.nowMs() } as const;
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
