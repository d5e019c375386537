import type { Prepared } from "../keeper/contract.ts";
import type { Wire } from "../model/ports.ts";
import { decodeWhole, isDecodable } from "./content-coding.ts";
import type { UneditedReason } from "./counts.ts";
import { answerUnavailable, type Claim, type Desk, type Exchange } from "./exchange.ts";
import { forward } from "./forwarding.ts";
import { headerValue, tokensIn } from "./headers.ts";
import { REQUEST_BYTES_MAX } from "./limits.ts";
import type { TapChooser } from "./relay.ts";
import { type BodyLease, readBody } from "./request-body.ts";
import { createTap, type Tap, UNKNOWN_FACTS } from "./tap.ts";

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
  const prepared = await prepare(desk, exchange, claim, decoded.bytes);
  if (prepared.kind === "refuse") return answerUnavailable(desk, exchange, "keeper", prepared.words);
  await pendingEvents();
  await forwardPrepared(desk, exchange, claim.wire, received, prepared);
}

function prepare(desk: Desk, exchange: Exchange, claim: Claim, body: Uint8Array): Promise<Prepared> {
  const headers = exchange.request.rawHeaders;
  const { isSubscription, ...hints } = claim.wire.hintsOf((name) => headerValue(headers, name));
  return desk.keeper.prepare({
    wire: claim.wire,
    route: claim.route,
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
  wire: Wire,
  received: Buffer,
  prepared: Extract<Prepared, { kind: "forward" }>,
): Promise<void> {
  let tap: Tap | null = null;
  const chooseTap: TapChooser = (_status, headers) => {
    desk.counts.responded(headers);
    const isStreaming = tokensIn(headerValue(headers, "content-type") ?? "").includes("text/event-stream");
    tap = createTap(wire.watch(isStreaming), headerValue(headers, "content-encoding"), desk.counts.unwatched);
    return tap;
  };
  const end = await forward(
    desk,
    exchange,
    prepared.isEdited
      ? { kind: "edited", slices: prepared.body, headers: prepared.headers }
      : { kind: "received", bytes: received },
    chooseTap,
  );
  const facts = await finishTap(tap);
  await prepared.finish(end.error === null ? facts : { ...facts, isComplete: false }, end.status);
}

function finishTap(tap: Tap | null) {
  return tap === null ? Promise.resolve(UNKNOWN_FACTS) : tap.finish();
}

/**
 * Preparing a body keeps the process from hearing that the upstream closed an idle connection; once this resolves it has
 * heard, and sends nothing into a closed one.
 */
async function pendingEvents(): Promise<void> {
  for (let turn = 0; turn < TURNS_FOR_EVENTS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The first turn ends the one under way, the second takes the events in. */
const TURNS_FOR_EVENTS = 2;

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
