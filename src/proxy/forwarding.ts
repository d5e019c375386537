import { Readable } from "node:stream";
import type { RequestHeaderValue } from "../model/ports.ts";
import { isDecodable } from "./content-coding.ts";
import { answerUpstreamFailed, type Desk, type Exchange, upstreamOf } from "./exchange.ts";
import { toUpstreamHeaders, withDecodableCodings, withValues } from "./headers.ts";
import { type RelayEnd, relay, type TapChooser } from "./relay.ts";
import { streamBody } from "./request-body.ts";
import type { Outgoing } from "./upstream-call.ts";

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
  const own = toOutgoing(exchange, sent);
  const outgoing = chooseTap === null ? own : { ...own, headers: withDecodableCodings(own.headers, isDecodable) };
  const end = await relay(upstreamOf(exchange).pool, outgoing, exchange.response, chooseTap ?? watchNothing);
  if (outgoing.body instanceof Readable) outgoing.body.destroy();
  report(desk, exchange, end, { body: sent.kind });
  return end;
}

/** An exchange's request as it goes upstream with `sent` for its body. */
export function toOutgoing(exchange: Exchange, sent: SentBody): Outgoing {
  const { request } = exchange;
  const own = toUpstreamHeaders(request.rawHeaders, sent.kind === "edited");
  const headers = sent.kind === "edited" ? withValues(own, sent.headers) : own;
  const length = lengthOf(exchange, sent);
  if (length !== null) headers.push("content-length", String(length));
  return {
    method: request.method ?? "GET",
    path: upstreamOf(exchange).pathPrefix + exchange.target,
    headers,
    body: bodyOf(exchange, sent),
  };
}

/** Counts and logs an exchange, and answers it where no response came. `notes` are facts for the log. */
export function report(
  desk: Desk,
  exchange: Exchange,
  end: RelayEnd,
  notes: Readonly<Record<string, string | number>>,
): void {
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
      upstream: upstreamOf(exchange).name,
      method: exchange.request.method,
      status: end.status,
      response_bytes: end.bytes,
      error: end.error,
      ...notes,
    },
    "request carried",
  );
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
