import type { ItemKey } from "../model/item.ts";
import type { ItemRecord } from "../model/ledger.ts";
import type { PastRequest, PastRequests } from "./eject-history.ts";

/** Sizes of a history in the provider's tokens, as far as its responses tell. */
export interface PastSizes {
  /** How many bytes one token has here. */
  readonly bytesPerToken: number;
  /** Tokens in front of what a request brought from its `order`th item on; null where no response tells. */
  before(request: number, order: number): number | null;
}

const BYTES_PER_TOKEN = 4;
const BYTES_PER_TOKEN_MIN = 1.5;
const BYTES_PER_TOKEN_MAX = 6;
const MEDIA_TOKENS = 1_500;
/** Growth that was counted, from which the measure is taken. */
const MEASURED_TOKENS_MIN = 2_000;

/** Takes the measure from how much prompts grew with what they brought. */
export function pastSizes({ requests }: PastRequests): PastSizes {
  const bytesPerToken = measured(requests);
  const tokensFrom = (request: PastRequest, order: number) => {
    const sent = sentItems(request).slice(order);
    return sent.reduce((sum, { bytes, isMedia }) => sum + (isMedia ? MEDIA_TOKENS : bytes / bytesPerToken), 0);
  };
  return {
    bytesPerToken,
    before(index, order) {
      const request = requests[index];
      const earlier = requests[index - 1]?.promptTokens ?? null;
      if (request === undefined || request.promptTokens === null) return earlier;
      const tokens = request.promptTokens - tokensFrom(request, order);
      return Math.min(request.promptTokens, Math.max(earlier ?? 0, tokens));
    },
  };
}

/** What the results of one request weigh beside the model's own answer in front of them; what a person wrote is in the rest. */
function measured(requests: readonly PastRequest[]): number {
  let bytes = 0;
  let tokens = 0;
  for (const [index, request] of requests.entries()) {
    const before = requests[index - 1];
    const sent = sentItems(request);
    if (before === undefined || before.promptTokens === null || request.promptTokens === null) continue;
    if (sent.length === 0 || sent.some(({ isMedia }) => isMedia) || hasLateRelease(request)) continue;
    const grown = request.promptTokens - before.promptTokens - before.outputTokens;
    if (grown <= 0) continue;
    bytes += sent.reduce((sum, one) => sum + one.bytes, 0);
    tokens += grown;
  }
  if (tokens < MEASURED_TOKENS_MIN) return BYTES_PER_TOKEN;
  return Math.min(BYTES_PER_TOKEN_MAX, Math.max(BYTES_PER_TOKEN_MIN, bytes / tokens));
}

interface SentItem {
  readonly bytes: number;
  readonly isMedia: boolean;
}

/** What a request brought, in the form in which it first went out. */
function sentItems({ entries }: PastRequest): readonly SentItem[] {
  const markers = new Map<ItemKey, string>();
  for (const entry of entries)
    if (entry.type === "item-released") markers.set(entry.decision.itemKey, entry.decision.marker);
  return acquiredIn(entries).map(({ key, bytes, kind }) => {
    const marker = markers.get(key);
    return marker === undefined
      ? { bytes, isMedia: kind === "media" }
      : { bytes: Buffer.byteLength(marker), isMedia: false };
  });
}

function acquiredIn(entries: PastRequest["entries"]): readonly ItemRecord[] {
  return entries.flatMap((entry) => (entry.type === "item-acquired" ? [entry.item] : []));
}

/** A prompt that shrank on the way tells nothing of what it brought. */
function hasLateRelease({ entries }: PastRequest): boolean {
  const acquired = new Set(acquiredIn(entries).map(({ key }) => key));
  return entries.some((entry) => {
    if (entry.type === "item-released") return !acquired.has(entry.decision.itemKey);
    return entry.type === "item-restored" || entry.type === "thinking-stripped";
  });
}
