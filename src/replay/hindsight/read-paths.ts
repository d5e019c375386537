import type { PacedConversation, Rates } from "./schedule.ts";

/** One read that becomes stale, over the requests of its conversation. */
export interface ReadPath {
  readonly callId: string;
  /** Its place among all results, in the order in which they came. */
  readonly place: number;
  /** Index of the first request in which it is stale. */
  readonly staleAt: number;
  /** Index of the first request from then on that has it written again in any case; the number of requests where none does. */
  readonly freeAt: number;
  /** What it costs to send it in full instead of its marker, from `staleAt` to a request before that one, and not beyond `freeAt`. */
  heldCost(before: number): number;
}

/** The reads that may leave, in the order in which they came. */
export function readPaths(conversation: PacedConversation, rates: Rates): readonly ReadPath[] {
  const callIds = new Set(conversation.flatMap(({ blocks }) => blocks.flatMap(({ callId }) => callId ?? [])));
  return Array.from(callIds).flatMap((callId, place) => pathOf(conversation, rates, callId, place) ?? []);
}

function pathOf(conversation: PacedConversation, rates: Rates, callId: string, place: number): ReadPath | null {
  const staleAt = conversation.findIndex(({ stale }) => stale.get(callId)?.mayLeave === true);
  if (staleAt === -1) return null;
  const costs = [0];
  let freeAt = conversation.length;
  for (let index = staleAt; index < conversation.length; index += 1) {
    const request = conversation[index];
    const at = request?.blocks.findIndex((block) => block.callId === callId) ?? -1;
    const tokens = request?.blocks[at]?.tokens ?? 0;
    if (request !== undefined && at >= request.readBlocks) {
      freeAt = index;
      break;
    }
    costs.push((costs.at(-1) ?? 0) + Math.max(0, tokens - rates.markerTokens) * rates.read);
  }
  return {
    callId,
    place,
    staleAt,
    freeAt,
    heldCost: (before) => costs[Math.max(0, Math.min(before, freeAt) - staleAt)] ?? 0,
  };
}
