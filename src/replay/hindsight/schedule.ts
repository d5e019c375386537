/** A read that is stale or superseded in a request that sends it in full. */
export interface StaleRead {
  /** Estimated tokens of its original. */
  readonly tokens: number;
  /** False for what no schedule may release: too small, or something points to it. */
  readonly mayLeave: boolean;
}

/** One request as a schedule of releases sees it. */
export interface PacedRequest {
  /** Tokens of its blocks in the provider's measure, in order; the call id of a result, null for every other block. */
  readonly blocks: readonly { readonly callId: string | null; readonly tokens: number }[];
  /** Blocks at its head that the provider reads from its cache where nothing is ever released. */
  readonly readBlocks: number;
  /** By call id. */
  readonly stale: ReadonlyMap<string, StaleRead>;
}

/** The requests of one conversation, in order. */
export type PacedConversation = readonly PacedRequest[];

/** The index of the request at which each read leaves, by call id; what is absent stays. */
export type Schedule = ReadonlyMap<string, number>;

/** What tokens cost as multiples of one price, and what a marker in a read's place counts. */
export interface Rates {
  readonly write: number;
  readonly read: number;
  readonly markerTokens: number;
}

/** What a schedule comes to. */
export interface ScheduleFigures {
  readonly cost: number;
  readonly staleTokenTurns: number;
}

/** Who takes what leaves out of the cached prefix: the client, which has all behind it written again, or the provider, at no cost. */
export type Remover = "client" | "provider";

/**
 * The input cost of a conversation under a schedule. What the client releases at a request is written again from the earliest of it;
 * everything before it is read as it would be without, as if an entry of the cache ended just there.
 */
export function scheduleFigures(
  conversation: PacedConversation,
  schedule: Schedule,
  rates: Rates,
  remover: Remover,
): ScheduleFigures {
  let cost = 0;
  let staleTokenTurns = 0;
  conversation.forEach((request, index) => {
    const readBlocks = remover === "provider" ? request.readBlocks : readBlocksWith(request, schedule, index);
    request.blocks.forEach(({ callId, tokens }, place) => {
      const left = callId !== null && (schedule.get(callId) ?? Number.POSITIVE_INFINITY) <= index;
      const sent = left ? Math.min(tokens, rates.markerTokens) : tokens;
      cost += sent * (place < readBlocks ? rates.read : rates.write);
      if (callId !== null && !left) staleTokenTurns += request.stale.get(callId)?.tokens ?? 0;
    });
  });
  return { cost, staleTokenTurns };
}

function readBlocksWith({ blocks, readBlocks }: PacedRequest, schedule: Schedule, index: number): number {
  const first = blocks.findIndex(({ callId }) => callId !== null && schedule.get(callId) === index);
  return first === -1 ? readBlocks : Math.min(readBlocks, first);
}
