import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { Inline, Keeper } from "../keeper/contract.ts";
import { assert } from "../lib/assert.ts";
import type { InlineRound } from "../model/aside.ts";
import type { Provider, Wire, WireRoute } from "../model/ports.ts";
import type { ToolAnswer } from "../model/tool.ts";
import type { Counts, RefusedReason } from "./counts.ts";
import { RETRY_AFTER_SECONDS } from "./limits.ts";
import type { Recorder } from "./record.ts";
import type { BodyBudget } from "./request-body.ts";
import type { Upstream } from "./upstream.ts";

/** The wire that reads a request, and as what. */
export interface Claim {
  readonly wire: Wire;
  readonly route: WireRoute;
}

/** One request of a client and the response to it. */
export interface Exchange {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query as sent, without the names of run and upstream; starts with a slash. */
  readonly target: string;
  /** The target without its query. */
  readonly path: string;
  /** Without the question mark; empty when there is none. */
  readonly query: string;
  readonly claim: Claim | null;
  /** Where it goes; null for what is answered here. */
  readonly upstream: Upstream | null;
  /** Name of the run it belongs to, which its address states; null for none. */
  readonly run: string | null;
  readonly atMs: number;
}

/** What tells whose models answer a request. */
export interface Destination {
  readonly wire: string;
  /** Name of the upstream; null for the one of requests that ask for none by name. */
  readonly name: string | null;
  readonly host: string;
}

/** Answers one call of Ebb's own tools, in the conversation it was made in. Never rejects. */
export type AnswerTool = (
  call: InlineRound["calls"][number],
  place: Pick<Inline, "lineage" | "sessionId">,
) => Promise<ToolAnswer>;

/** What every exchange of a proxy shares. */
export interface Desk {
  readonly keeper: Keeper;
  readonly answerTool: AnswerTool | null;
  /** Writes down what is carried; null: nothing is. */
  readonly recorder: Recorder | null;
  readonly providerOf: (to: Destination) => Provider;
  readonly budget: BodyBudget;
  readonly counts: Counts;
  readonly log: Logger;
  readonly tenant: string;
  readonly token: string;
  readonly version: string;
  readonly nowMs: () => number;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where an exchange goes that is not answered here. */
export function upstreamOf({ upstream }: Exchange): Upstream {
  assert(upstream !== null, "what goes out has a place to go to");
  return upstream;
}

/** Answers in Ebb's own name; nothing when an answer has begun already. */
export function answer(exchange: Exchange, own: Answer): void {
  const { request, response } = exchange;
  if (response.headersSent || response.destroyed) return;
  response.writeHead(own.status, {
    "content-type": own.contentType,
    "content-length": Buffer.byteLength(own.body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-ebb-request-id": exchange.id,
    ...own.headers,
  });
  response.end(request.method === "HEAD" ? undefined : own.body);
}

/** Refuses a request for now, in the shape that clients of its wire try again. */
export function answerUnavailable(desk: Desk, exchange: Exchange, reason: RefusedReason, words: string): void {
  desk.counts.refused(reason);
  desk.counts.answered(503);
  answer(exchange, {
    ...errorOf(exchange, words),
    status: 503,
    headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
  });
}

/** Tells that the upstream gave no answer: its code, never its address. */
export function answerUpstreamFailed(desk: Desk, exchange: Exchange, code: string): void {
  desk.counts.answered(502);
  answer(exchange, { ...errorOf(exchange, `the upstream gave no answer (${code})`), status: 502 });
}

/** Refuses a request that can never be carried. */
export function answerRefused(
  desk: Desk,
  exchange: Exchange,
  status: number,
  reason: RefusedReason,
  words: string,
): void {
  desk.counts.refused(reason);
  desk.counts.answered(status);
  answer(exchange, { status, contentType: "text/plain; charset=utf-8", body: `${words}\n` });
}

function errorOf(exchange: Exchange, words: string): Pick<Answer, "contentType" | "body"> {
  if (exchange.claim === null) return { contentType: "text/plain; charset=utf-8", body: `${words}\n` };
  return { contentType: "application/json", body: exchange.claim.wire.errorBody("unavailable", words) };
}
