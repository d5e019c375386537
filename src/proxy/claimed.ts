import type { Prepared } from "../keeper/contract.ts";
import { decodeWhole, isDecodable } from "./content-coding.ts";
import type { UneditedReason } from "./counts.ts";
import { answerUnavailable, type Claim, type Desk, type Exchange, upstreamOf } from "./exchange.ts";
import { forward, type SentBody } from "./forwarding.ts";
import { headerValue, tokensIn } from "./headers.ts";
import { REQUEST_BYTES_MAX } from "./limits.ts";
import { type BodyLease, readBody } from "./request-body.ts";
import { type Forward, pendingEvents, watchRound } from "./round.ts";
import { followRounds } from "./rounds.ts";

/** Serves a request that a wire reads: the keeper prepares its body, and learns how the response ended. */
export async function serveClaimed(desk: Desk, exchange: Exchange, claim: Claim): Promise<void> {
  const lease = desk.budget.lease();
  if (lease === null)
    return answerUnavailable(desk, exchange, "busy", "too many requests are being read at this moment");
  try {
    await serveLeased(desk, exchange, claim, lease);
  } finally {
    lease.giveBack();
  }
}

async function serveLeased(desk: Desk, exchange: Exchange, claim: Claim, lease: BodyLease): Promise<void> {
  const read = await readBody(exchange.request, lease);
  switch (read.kind) {
    case "gone":
      return desk.counts.clientLeft();
    case "crowded":
      return answerUnavailable(desk, exchange, "busy", "too many bytes of requests are held at this moment");
    case "over":
      desk.counts.unedited("body over the limit");
      await forward(desk, exchange, { kind: "streamed" }, null);
      return;
    case "whole":
      return serveWhole(desk, exchange, claim, read.bytes, lease);
  }
}

async function serveWhole(
  desk: Desk,
  exchange: Exchange,
  claim: Claim,
  received: Buffer,
  lease: BodyLease,
): Promise<void> {
  const decoded = await decodeBody(received, headerValue(exchange.request.rawHeaders, "content-encoding"));
  if (!decoded.ok) {
    desk.counts.unedited(decoded.reason);
    await forward(desk, exchange, { kind: "received", bytes: received }, null);
    return;
  }
  if (decoded.bytes !== received && !lease.grow(decoded.bytes.length)) {
    return answerUnavailable(desk, exchange, "busy", "too many bytes of requests are held at this moment");
  }
  desk.recorder?.received(exchange, decoded.bytes);
  const prepared = await prepare(desk, exchange, claim, decoded.bytes);
  if (prepared.kind === "refuse") return answerUnavailable(desk, exchange, "keeper", prepared.words);
  await forwardPrepared(desk, exchange, { claim, received, lease }, prepared);
}

/** A body that was read whole. */
interface Read {
  readonly claim: Claim;
  readonly received: Buffer;
  readonly lease: BodyLease;
}

function prepare(desk: Desk, exchange: Exchange, claim: Claim, body: Uint8Array): Promise<Prepared> {
  const headers = exchange.request.rawHeaders;
  const { name, host } = upstreamOf(exchange);
  const { isSubscription, ...hints } = claim.wire.hintsOf((name) => headerValue(headers, name));
  return desk.keeper.prepare({
    wire: claim.wire,
    route: claim.route,
    provider: desk.providerOf({ wire: claim.wire.name, name, host }),
    body,
    hints: { tenant: desk.tenant, ...hints },
    userAgent: headerValue(headers, "user-agent"),
    isSubscription,
    ...(exchange.run === null ? {} : { run: exchange.run }),
    atMs: exchange.atMs,
  });
}

async function forwardPrepared(
  desk: Desk,
  exchange: Exchange,
  { claim, received, lease }: Read,
  prepared: Forward,
): Promise<void> {
  const { wire } = claim;
  const sent: SentBody = prepared.isEdited
    ? { kind: "edited", slices: prepared.body, headers: prepared.headers }
    : { kind: "received", bytes: received };
  const { inline: inlineWire } = wire;
  const { inline } = prepared;
  const { answerTool } = desk;
  const isAnswered = claim.route.kind === "generate";
  if (isAnswered && inline !== null && inlineWire !== null && answerTool !== null) {
    const tally = { rounds: 0, bytes: 0, lastStatus: 0 };
    return followRounds({ desk, exchange, wire, inlineWire, inline, answerTool, lease, tally }, prepared, sent);
  }
  await pendingEvents();
  const watch = watchRound(desk, exchange, wire, prepared);
  await watch.finish(await forward(desk, exchange, sent, watch.chooseTap));
}

type DecodedBody =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly reason: UneditedReason };

async function decodeBody(received: Buffer, contentEncoding: string | null): Promise<DecodedBody> {
  const [coding, second] = tokensIn(contentEncoding ?? "").filter((token) => token !== "identity");
  if (coding === undefined) return { ok: true, bytes: received };
  if (second !== undefined || !isDecodable(coding)) return { ok: false, reason: "content coding unknown" };
  const decoded = await decodeWhole(received, coding, REQUEST_BYTES_MAX);
  if (decoded.ok) return decoded;
  return { ok: false, reason: decoded.isOver ? "decoded body over the limit" : "content coding did not decode" };
}
