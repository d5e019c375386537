import { Readable } from "node:stream";
import type { RequestHeaderValue } from "../model/ports.ts";
import { isDecodable } from "./content-coding.ts";
import { answerUpstreamFailed, type Desk, type Exchange } from "./exchange.ts";
import { toUpstreamHeaders, withDecodableCodings, withValues } from "./headers.ts";
import { type RelayEnd, relay, type TapChooser } from "./relay.ts";
import { streamBody } from "./request-body.ts";

/** What is sent in place of the request's body. */
export type SentBody =
  /** As the client sends it, while it comes. */
  | { readonly kind: "streamed" }
  /** The very bytes received. */
  | { readonly kind: "received"; readonly bytes: Buffer }
  /** Other bytes, not encoded, and what they need in the headers. */
  | {
      readonly kind: "edited";
      readonly slices: readonly Uint8Array[];
      readonly headers: readonly RequestHeaderValue[];
    };

/** Carries an exchange to the upstream and back, answers when no response came, counts and logs. Never rejects. */
export async function forward(
  desk: Desk,
  exchange: Exchange,
  sent: SentBody,
  chooseTap: TapChooser | null,
): Promise<RelayEnd> {
  const { request, response } = exchange;
  const own = toUpstreamHeaders(request.rawHeaders, sent.kind === "edited");
  const all = sent.kind === "edited" ? withValues(own, sent.headers) : own;
  const outgoing = {
    method: request.method ?? "GET",
    path: desk.upstream.pathPrefix + exchange.target,
    headers: chooseTap === null ? all : withDecodableCodings(all, isDecodable),
    body: bodyOf(exchange, sent),
  };
  const length = lengthOf(exchange, sent);
  if (length !== null) outgoing.headers.push("content-length", String(length));

  const end = await relay(desk.upstream.pool, outgoing, response, chooseTap ?? watchNothing);
  if (outgoing.body instanceof Readable) outgoing.body.destroy();
  report(desk, exchange, sent, end);
  return end;
}

const watchNothing: TapChooser = () => null;

function bodyOf(exchange: Exchange, sent: SentBody): Readable | Uint8Array | null {
  switch (sent.kind) {
    case "streamed":
      return streamBody(exchange.request);
    case "received":
      return sent.bytes.length === 0 ? null : sent.bytes;
    case "edited":
      return sent.slices.length === 1 ? (sent.slices[0] ?? null) : Readable.from(sent.slices);
  }
}

/** Null: the length is not known before the end, or there is no body. */
function lengthOf(exchange: Exchange, sent: SentBody): number | null {
  switch (sent.kind) {
    case "streamed": {
      const stated = exchange.request.headers["content-length"];
      return stated === undefined ? null : Number(stated);
    }
    case "received":
      return sent.bytes.length;
    case "edited":
      return sent.slices.reduce((total, slice) => total + slice.length, 0);
  }
}

function report(desk: Desk, exchange: Exchange, sent: SentBody, end: RelayEnd): void {
  const { counts, log } = desk;
  if (end.status !== 0) counts.answered(end.status);
  if (end.isClientGone) counts.clientLeft();
  else if (end.error !== null) {
    counts.upstreamFailed(end.error);
    if (end.status === 0) answerUpstreamFailed(desk, exchange, end.error);
  }
  log.info(
    {
      request: exchange.id,
      route: exchange.claim === null ? null : `${exchange.claim.wire.name}/${exchange.claim.route.kind}`,
      method: exchange.request.method,
      status: end.status,
      body: sent.kind,
      response_bytes: end.bytes,
      error: end.error,
    },
    "request carried",
  );
}
