import { Readable } from "node:stream";
import type { Prepared } from "../keeper/contract.ts";
import type { Wire } from "../model/ports.ts";
import { type Desk, type Exchange, upstreamOf } from "./exchange.ts";
import { type SentBody, toOutgoing } from "./forwarding.ts";
import { headerValue, type RawHeaders, tokensIn, withIdentityCoding, withoutNamed } from "./headers.ts";
import { callFor, type RelayEnd, type TapChooser, toClient } from "./relay.ts";
import { createTap, type Tap, UNKNOWN_FACTS } from "./tap.ts";
import { callUpstream, type Head, type Receiver } from "./upstream-call.ts";

/** A request as the keeper prepared it. */
export type Forward = Extract<Prepared, { kind: "forward" }>;

/** Watches the response to one prepared request, and tells the keeper how it ended. */
export interface RoundWatch {
  readonly chooseTap: TapChooser;
  /** To be called once. */
  finish(end: RelayEnd): Promise<void>;
}

/** A watch over the response to `prepared`. */
export function watchRound(desk: Desk, exchange: Exchange, wire: Wire, prepared: Forward): RoundWatch {
  const record = desk.recorder?.open(exchange, wire, prepared) ?? null;
  let tap: Tap | null = null;
  return {
    chooseTap(status, headers) {
      desk.counts.responded(headers);
      const own = wire.watch(isStream(headers));
      const watcher = record === null ? own : record.watched(own, status, headers);
      tap = createTap(watcher, headerValue(headers, "content-encoding"), desk.counts.unwatched);
      return tap;
    },
    async finish(end) {
      const facts = tap === null ? UNKNOWN_FACTS : await tap.finish();
      await prepared.finish(end.error === null ? facts : { ...facts, isComplete: false }, end.status);
      record?.finish(end);
    },
  };
}

/** Tells the keeper that a prepared request was never sent. */
export function finishUnsent(prepared: Forward): Promise<void> {
  return prepared.finish(UNKNOWN_FACTS, 0);
}

/** The response to one request, taken in the client's place. */
export interface TakenResponse {
  readonly head: Head;
  /** It ends where the response ends or breaks off. */
  readonly body: Readable;
}

/** One request of an exchange, from its head on. */
export interface Round {
  /** Null where no response came, or the client was given it as it comes. */
  readonly taken: TakenResponse | null;
  /** Resolves in every case, once `taken` was read to its end. */
  readonly ended: Promise<RelayEnd>;
}

/** What one request of an exchange is made of. */
export interface RoundRequest {
  readonly sent: SentBody;
  readonly chooseTap: TapChooser;
  /** True: the response is taken. False: it goes to the client as it comes. */
  isTaken(head: Head): boolean;
  /** The client did not send this one itself. */
  readonly isFurther: boolean;
}

/** Sends one request of an exchange, in a form whose response can be read. Resolves at the head that is taken, else at the end. */
export async function openRound(exchange: Exchange, given: RoundRequest): Promise<Round> {
  await pendingEvents();
  const { response } = exchange;
  const own = toOutgoing(exchange, given.sent);
  const headers = withIdentityCoding(own.headers);
  const outgoing = { ...own, headers: given.isFurther ? withoutNamed(headers, OF_ONE_REQUEST) : headers };
  let onTaken: (taken: TakenResponse) => void = () => undefined;
  const headed = new Promise<TakenResponse>((resolve) => {
    onTaken = resolve;
  });
  const ended = callFor(response, () =>
    callUpstream(upstreamOf(exchange).pool, outgoing, (head, resume) => {
      const tap = given.chooseTap(head.status, head.headers);
      if (!given.isTaken(head)) return toClient({ response, method: outgoing.method, tap }, head, resume);
      const { receiver, body } = takeInto(tap, resume);
      onTaken({ head, body });
      return receiver;
    }),
  ).finally(() => {
    if (outgoing.body instanceof Readable) outgoing.body.destroy();
  });
  const taken = await Promise.race([headed, ended.then(() => null)]);
  return { taken, ended };
}

/** True for a response whose bytes can be followed: a success, in no coding, as a stream of events or as JSON. */
export function isReadable({ status, headers }: Head): boolean {
  const isSuccess = status >= 200 && status < 300 && status !== 204;
  const codings = tokensIn(headerValue(headers, "content-encoding") ?? "").filter((coding) => coding !== "identity");
  return isSuccess && codings.length === 0 && (isStream(headers) || isJson(headers));
}

/** True for the content type of a stream of events. */
export function isStream(headers: RawHeaders): boolean {
  return typesIn(headers).includes("text/event-stream");
}

/** True for the content type of JSON. */
export function isJson(headers: RawHeaders): boolean {
  return typesIn(headers).includes("application/json");
}

function typesIn(headers: RawHeaders): readonly string[] {
  return tokensIn(headerValue(headers, "content-type") ?? "");
}

/** A provider that honours it would answer the further request with the response to the first. */
const OF_ONE_REQUEST = new Set(["idempotency-key"]);

/**
 * Preparing a body keeps the process from hearing that the upstream closed an idle connection; once this resolves it has
 * heard, and sends nothing into a closed one.
 */
export async function pendingEvents(): Promise<void> {
  for (let turn = 0; turn < TURNS_FOR_EVENTS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The first turn ends the one under way, the second takes the events in. */
const TURNS_FOR_EVENTS = 2;

/** A response as a stream that is read at its reader's speed. */
function takeInto(tap: Tap | null, resume: () => void): { readonly receiver: Receiver; readonly body: Readable } {
  const body = new Readable({ read: resume });
  const end = () => void body.push(null);
  const receiver: Receiver = {
    take(chunk) {
      tap?.push(chunk);
      return body.push(chunk);
    },
    end,
    cut: end,
  };
  return { receiver, body };
}
