import { type Chain, chainOf } from "../engine/chain.ts";
import { lastAssistantIndex } from "../engine/exposure.ts";
import type { InlineWire, Insertions, WireSource } from "../model/ports.ts";
import type { KeeperRequest } from "./contract.ts";
import { asideCallsOf, type Expansion, type Offer, unexpanded } from "./expansion.ts";
import { expansionFault, lengthFault, type Meant } from "./expansion-check.ts";
import type { Workshop } from "./keeper.ts";
import { mayOffer, offerOf } from "./offers.ts";
import { type AsideInBody, anchorAt, findAsides } from "./put-back.ts";

/** A request as everything behind this looks at it: the body that came, with what the client cannot have sent. */
export interface Expanded {
  readonly request: KeeperRequest;
  readonly source: WireSource;
  readonly chain: Chain;
  readonly expansion: Expansion;
}

/**
 * Puts back the asides of the messages that a request holds, and adds the tools that its conversation offers. Where there is
 * nothing to put in, body and source are those that came. Throws `EbbError` where nobody can tell which asides a history has.
 */
export async function expand(request: KeeperRequest, source: WireSource, desk: Workshop): Promise<Expanded> {
  const received = receivedOf(request, source, desk);
  const { inline } = request.wire;
  if (inline === null) return received;
  const { tenant } = request.hints;
  const attempted = mayOffer(request, source, desk);
  const own = attempted && request.route.kind === "generate" ? received.expansion.anchor : null;
  const asides = await findAsides(
    { tenant, wire: request.wire.name, inline, source, chain: received.chain },
    own,
    desk,
  );
  for (const { digest } of asides.gone) noteLost(digest, "its original was removed or is damaged", request, desk);
  const { found, taken } = withOwnIds(takesCalls(source) ? asides.found : [], source);
  for (const { aside } of taken) noteLost(aside.digest, "another call has its id", request, desk);
  const guessed = attempted ? (desk.recentOffers.get(nameOf(request, source)) ?? null) : null;
  const first = putIn(received, found, guessed, desk);
  const offer = attempted ? await offerOf({ request, source, chain: first.chain }, desk) : null;
  const expanded = offer?.json === guessed?.json ? withOffer(first, offer) : putIn(received, found, offer, desk);
  if (expanded.expansion.offer !== null) desk.recentOffers.set(nameOf(request, source), expanded.expansion.offer);
  return { ...expanded, expansion: { ...expanded.expansion, hasRivals: hasRivals(received, desk) } };
}

function receivedOf(request: KeeperRequest, source: WireSource, desk: Workshop): Expanded {
  const name = `received ${nameOf(request, source)}`;
  const chain = chainOf(source.transcript, desk.recentChains.get(name) ?? null);
  desk.recentChains.set(name, chain);
  const anchor = anchorAt(chain, source.transcript.items.length, request.wire.name);
  return { request, source, chain, expansion: unexpanded(request, anchor) };
}

/** Requests of one history in one format, as far as what they begin with tells. */
export function nameOf({ hints, wire }: KeeperRequest, { transcript }: WireSource): string {
  const { tenant, sessionId, agentId } = hints;
  return JSON.stringify([wire.name, tenant, sessionId, agentId, transcript.items[0]?.key ?? null]);
}

function withOffer(expanded: Expanded, offer: Offer | null): Expanded {
  return { ...expanded, expansion: { ...expanded.expansion, offer: expanded.expansion.offer === null ? null : offer } };
}

/** The body that came with all of it; without what has no place, and as it came where Ebb's own check finds a fault. */
function putIn(received: Expanded, asides: readonly AsideInBody[], offer: Offer | null, desk: Workshop): Expanded {
  if (asides.length === 0 && offer === null) return received;
  const { request } = received;
  const whole = written(received, asides, offer, desk);
  const expanded = whole ?? withWhatFits(received, asides, offer, desk);
  const present = new Set(expanded.expansion.asides);
  for (const { aside } of asides) {
    if (!present.has(aside)) noteLost(aside.digest, "the message it belongs to has no place for it", request, desk);
  }
  return expanded;
}

/** The tools and halves of the asides by themselves: one that has no place must not take the others with it. */
function withWhatFits(
  received: Expanded,
  asides: readonly AsideInBody[],
  offer: Offer | null,
  desk: Workshop,
): Expanded {
  const fitting = (some: readonly AsideInBody[]): readonly AsideInBody[] => {
    if (some.length === 0 || written(received, some, null, desk) !== null) return some;
    const half = some.length >>> 1;
    return half === 0 ? [] : [...fitting(some.slice(0, half)), ...fitting(some.slice(half))];
  };
  const withTools = offer === null ? null : written(received, [], offer, desk);
  const own = withTools === null ? null : offer;
  return written(received, fitting(asides), own, desk) ?? withTools ?? received;
}

/** Null where the wire has no place for all of it, or the result is not what was meant. */
function written(
  { request, source, chain, expansion }: Expanded,
  asides: readonly AsideInBody[],
  offer: Offer | null,
  desk: Workshop,
): Expanded | null {
  const insertions: Insertions = { tools: offer?.json ?? null, asides: asides.map(({ placed }) => placed) };
  const body = request.wire.inline?.insert(request.body, source, insertions) ?? null;
  if (body === null || body === request.body) return null;
  const read = request.wire.read(body, desk.wireMemo, request.route);
  const meant = meantBy(asides, offer, request.wire.inline);
  const fault = read.ok
    ? (expansionFault(source, read.source, meant) ?? lengthFault(request.body.length, body.length, meant))
    : `the body cannot be read: ${read.words}`;
  if (fault !== null || !read.ok) {
    noteFault(`untouched: with what the client cannot send put back, ${fault}`, request, desk);
    return null;
  }
  const calls = new Set(read.source.transcript.items.flatMap((item) => (item.kind === "call" ? [item.callId] : [])));
  const present = asides.filter(({ aside }) => aside.calls.every(({ id }) => calls.has(id)));
  return {
    request: { ...request, body },
    source: read.source,
    chain: chainOf(read.source.transcript, previousOf(present, chain, request, source, desk)),
    expansion: { ...expansion, asides: present.map(({ aside }) => aside), offer },
  };
}

/** Tools are no items: without asides the chain stays the one that came. */
function previousOf(
  asides: readonly AsideInBody[],
  chain: Chain,
  request: KeeperRequest,
  source: WireSource,
  { recentChains }: Workshop,
): Chain | null {
  return asides.length === 0 ? chain : (recentChains.get(nameOf(request, source)) ?? null);
}

function meantBy(asides: readonly AsideInBody[], offer: Offer | null, inline: InlineWire | null): Meant {
  const pieces = [
    ...(offer === null ? [] : [offer.json]),
    ...asides.flatMap(({ blocks }) => [...blocks.calls, ...blocks.results]),
  ];
  return {
    calls: asideCallsOf({ asides: asides.map(({ aside }) => aside) }),
    toolNames: offer?.names ?? [],
    thoughts: inline?.thoughtsIn?.(asides.flatMap(({ blocks }) => blocks.calls)) ?? new Set(),
    bytes: pieces.reduce((sum, json) => sum + Buffer.byteLength(json), 0),
    pieces: pieces.length,
  };
}

/** Whether others asked for the same message and pinned asides, as far as is known. */
function hasRivals({ request, expansion }: Expanded, { anchors }: Workshop): boolean {
  const { tenant } = request.hints;
  const { anchor } = expansion;
  if (request.route.kind !== "generate" || anchor === null) return false;
  anchors.noteSent(tenant, anchor);
  return anchors.known(tenant, anchor)?.attempts.some(({ asides }) => asides.length > 0) === true;
}

/** Providers refuse calls in a request that offers no tools, so where the client has none of either there are none. */
function takesCalls({ transcript }: WireSource): boolean {
  return transcript.header.toolNames.length > 0 || transcript.items.some(({ kind }) => kind === "call");
}

/** The asides without those that repeat the id of another call, as of a provider that numbers the calls of each answer anew. */
function withOwnIds(
  asides: readonly AsideInBody[],
  { transcript }: WireSource,
): { readonly found: readonly AsideInBody[]; readonly taken: readonly AsideInBody[] } {
  if (asides.length === 0) return { found: asides, taken: [] };
  const ids = new Set(transcript.items.flatMap((item) => (item.kind === "call" ? [item.callId] : [])));
  const [found, taken]: [AsideInBody[], AsideInBody[]] = [[], []];
  for (const one of asides) {
    const own = one.aside.calls.map(({ id }) => id);
    const isOwn = new Set(own).size === own.length && !own.some((id) => ids.has(id));
    (isOwn ? found : taken).push(one);
    for (const id of own) ids.add(id);
  }
  return { found, taken };
}

/** True for a body that holds no message of the model: nothing can be missing in it. */
export function isWithoutAnswers({ transcript }: WireSource): boolean {
  return lastAssistantIndex(transcript) === -1;
}

function noteLost(
  digest: string,
  why: string,
  { atMs }: KeeperRequest,
  { accounting, settings, lostAsides }: Workshop,
): void {
  if (lostAsides.get(digest) !== undefined) return;
  lostAsides.set(digest, true);
  const words = `an answer of Ebb's own tools is not put back into its message: ${why}`;
  accounting.noteError(atMs, "aside_lost", words);
  settings.onError("aside_lost", words);
}

function noteFault(fault: string, { atMs }: KeeperRequest, { accounting, settings }: Workshop): void {
  accounting.noteViolation();
  accounting.noteError(atMs, "law_violation", fault);
  settings.onError("law_violation", fault);
}
