import { blockCounts } from "../engine/block-counts.ts";
import { cacheLifetimeOf } from "../engine/cache-lifetime.ts";
import type { Chain } from "../engine/chain.ts";
import { isTrusted } from "../engine/confidence.ts";
import { lastAssistantIndex } from "../engine/exposure.ts";
import { isCold } from "../engine/moment.ts";
import { ebbToolOf } from "../engine/recall-channel.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { WireSource } from "../model/ports.ts";
import type { Transcript } from "../model/transcript.ts";
import { cacheRequestOf } from "./cache-request.ts";
import type { KeeperRequest } from "./contract.ts";
import type { Offer } from "./expansion.ts";
import type { Workshop } from "./keeper.ts";
import type { Peeked } from "./lineage-search.ts";
import { hasUnseenAnswers } from "./unseen.ts";

/** A request with its asides in place, before any tool of Ebb's is added. */
export interface OfferGround {
  readonly request: KeeperRequest;
  readonly source: WireSource;
  readonly chain: Chain;
}

/** True where a request may offer tools of Ebb's own: it offers tools, none of them Ebb's, and its credentials allow it. */
export function mayOffer({ wire, isSubscription }: KeeperRequest, { transcript }: WireSource, desk: Workshop): boolean {
  const { toolNames } = transcript.header;
  if (wire.inline === null || toolNames.length === 0 || toolNames.some((name) => ebbToolOf(name) !== null))
    return false;
  return isSubscription !== true || desk.settings.inlineTools?.onSubscription === true;
}

/**
 * The tools that a request offers which may: those its conversation began with, byte for byte; else new ones, where nothing that
 * the provider holds depends on them. Null for none.
 */
export async function offerOf(ground: OfferGround, desk: Workshop): Promise<Offer | null> {
  const { found, isStoreDown } = await peek(ground, desk);
  const { transcript } = ground.source;
  const continued = found !== null && isContinued(found, ground) ? found : null;
  const offered = continued?.lineage.standing.offered ?? null;
  const { name: wire, inline } = ground.request.wire;
  // A conversation may go on in another format: what it began with has no place there.
  if (offered !== null && offered.wire === wire) return { ...offered, isNew: false };
  const { inlineTools, mode } = desk.settings;
  // What only memory would know must not begin: the next process would not repeat it.
  if (inlineTools === null || mode !== "enforce" || isStoreDown) return null;
  const isFirst = lastAssistantIndex(transcript) === -1;
  const moment = isFirst ? "first-send" : await rewritingMoment(continued, ground, desk);
  if (moment === null || inline === null) return null;
  const { definitions } = inlineTools;
  return { json: inline.toolsJson(definitions), names: definitions.map(({ name }) => name), moment, wire, isNew: true };
}

async function peek(
  { request, chain }: OfferGround,
  { lineages }: Workshop,
): Promise<{ readonly found: Peeked | null; readonly isStoreDown: boolean }> {
  const input = { hints: request.hints, chain };
  try {
    return { found: await lineages.peek(input), isStoreDown: false };
  } catch (error) {
    if (!(error instanceof EbbError)) throw error;
    return { found: lineages.peekInMemory(input), isStoreDown: true };
  }
}

/** A first request that begins like one of another session is a conversation of its own. */
function isContinued({ lineage, position }: Peeked, { request, source }: OfferGround): boolean {
  const { transcript } = source;
  if (position < openingCount(transcript)) return false;
  if (lastAssistantIndex(transcript) !== -1) return true;
  const { sessionId } = request.hints;
  return sessionId !== null && sessionId === lineage.standing.sessionId;
}

/** Items in front of the model's first message. */
function openingCount({ messages, items }: Transcript): number {
  return messages.find(({ role }) => role === "assistant")?.itemStart ?? items.length;
}

/** Why all of a conversation under way is written again in this request; null where the provider may hold any of it. */
async function rewritingMoment(
  known: Peeked | null,
  { request, source }: OfferGround,
  { lineages }: Workshop,
): Promise<"cold" | "prefix-broken" | null> {
  if (known === null) return null;
  const { transcript } = source;
  const { header, items } = transcript;
  const facts = request.provider.modelFacts(header.model);
  const isBound = facts.thinkingBinding === "prefix" && items.some(({ kind }) => kind === "thinking");
  if (isBound || cacheLifetimeOf(header, facts) === null) return null;
  const { lineage, position } = known;
  const placement = { known: lineage, sentCount: position };
  if (!isTrusted(lineage.standing.confidence) || hasUnseenAnswers({ source, placement })) return null;
  const counts = blockCounts(transcript, facts);
  const held = await lineages.heldOf(known, { ...cacheRequestOf(source, counts, facts), atMs: request.atMs });
  if (isCold(held.warmUntilMs, request.atMs)) return "cold";
  return held.cachedCount === 0 ? "prefix-broken" : null;
}
