import type { Decline, Proposal } from "../model/decision.ts";
import type { MediaItem } from "../model/item.ts";
import type { Policy } from "../model/ports.ts";
import type { View } from "../model/view.ts";

/** What one request may hold; null stands for the provider's own limit. */
export interface MediaBudgetOptions {
  /** Bytes of the whole body, as it is sent. */
  readonly bytesMax: number | null;
  /** Images and documents. */
  readonly imagesMax: number | null;
}

const NAME = "mediabudget";
/** Once over the budget, media leave until this part of it is used, so that not every request has to act. */
const PART_AFTER = 0.8;
/** From this part of the budget on, what cannot leave is said. */
const PART_WARNED = 0.8;
/** No marker is smaller: what takes no more tokens stays. */
const MARKER_TOKENS_MIN = 20;
/** Room for a marker and the block around it, in bytes. */
const MARKER_BYTES = 400;

interface Amount {
  readonly bytes: number;
  readonly images: number;
}

/**
 * Proposes the oldest media of a request that is over its budget, as many as bring it back under. Where thinking is signed over
 * what was sent, only media behind it can leave, and the policy says so ahead.
 */
export function createMediaBudget(options: MediaBudgetOptions): Policy {
  return {
    name: NAME,
    propose(view) {
      const { media: facts } = view.model;
      const max = { bytes: options.bytesMax ?? facts.bodyBytesMax, images: options.imagesMax ?? facts.imagesMax };
      const media = view.transcript.items.filter((item) => item.kind === "media");
      const held = media.filter((item) => view.standingOf(item.key).state === "held");
      if (held.length === 0) return { proposals: [], declines: [] };
      const now = amountOf(held, view);
      const bound = held.filter((item) => isBound(item, view));
      const isOver = isBeyond(now, max);
      if (!isOver) return { proposals: [], declines: isBeyond(now, partOf(max, PART_WARNED)) ? warn(bound, max) : [] };
      const free = held.filter((item) => !isBound(item, view) && mayLeave(item, view));
      const target = bound.length > 0 ? max : partOf(max, PART_AFTER);
      return { proposals: leaving(free, now, target).map(proposalOf), declines: bound.map(declineOf) };
    },
  };
}

/** What would be sent: the body as it came, without what stands as a marker. */
function amountOf(held: readonly MediaItem[], view: View): Amount {
  let bytes = view.bodyBytes;
  for (const item of view.transcript.items) {
    const standing = view.standingOf(item.key);
    if (standing.state !== "released") continue;
    const carried = item.kind === "media" ? item.carriedBytes : item.bytes;
    bytes -= Math.max(0, carried - Buffer.byteLength(standing.decision.marker) - MARKER_BYTES);
  }
  return { bytes, images: held.length };
}

function leaving(free: readonly MediaItem[], now: Amount, target: Amount): readonly MediaItem[] {
  const chosen: MediaItem[] = [];
  let { bytes, images } = now;
  for (const item of free) {
    const isEnough = bytes <= target.bytes && images <= target.images;
    if (isEnough) break;
    // Where only the body is too long, what is no longer than a marker is no help.
    if (images <= target.images && item.carriedBytes <= MARKER_BYTES) continue;
    chosen.push(item);
    bytes -= Math.max(0, item.carriedBytes - MARKER_BYTES);
    images -= 1;
  }
  return chosen;
}

function isBeyond(now: Amount, max: Amount): boolean {
  return now.bytes > max.bytes || now.images > max.images;
}

function partOf({ bytes, images }: Amount, part: number): Amount {
  return { bytes: Math.floor(bytes * part), images: Math.floor(images * part) };
}

function isBound(item: MediaItem, view: View): boolean {
  return view.model.thinkingBinding === "prefix" && view.thinkingBehind(item) !== null;
}

/** What a gate would refuse takes no place among those that can leave. */
function mayLeave(item: MediaItem, view: View): boolean {
  const { key } = item;
  if (!item.isReplaceable || view.isProtected(key) || view.isHeldBySpan(key) || view.isUnstorable(key)) return false;
  if (view.wishOf(key)?.kind === "whole" || view.exemptionOf(item) !== null) return false;
  return view.tokensOf(item) > MARKER_TOKENS_MIN;
}

function warn(bound: readonly MediaItem[], max: Amount): readonly Decline[] {
  const [oldest] = bound;
  if (oldest === undefined) return [];
  const words =
    `the request comes near ${max.images} attachments or ${max.bytes} bytes; on this model none that stands before ` +
    "thinking can leave, so that beyond it the oldest of the new ones will be sent as markers";
  return [{ itemKey: oldest.key, policy: NAME, reason: "bound_thinking", words }];
}

function declineOf({ key }: MediaItem): Decline {
  const words =
    "the request is over its media budget, but a later thinking block is or may be signed over this attachment; " +
    "the oldest of those behind it leave instead";
  return { itemKey: key, policy: NAME, reason: "bound_thinking", words };
}

function proposalOf({ key }: MediaItem): Proposal {
  return {
    itemKey: key,
    policy: NAME,
    reason: "over_budget",
    markerMode: "full",
    evidenceKey: null,
    wish: null,
    waitsForFree: false,
    allowsCold: true,
    isForced: false,
  };
}
