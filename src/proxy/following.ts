import type { Inline } from "../keeper/contract.ts";
import type { InlineRound } from "../model/aside.ts";
import type { InlineWire, Wire } from "../model/ports.ts";
import type { ToolAnswer } from "../model/tool.ts";
import type { RefusedReason } from "./counts.ts";
import type { AnswerTool, Desk, Exchange } from "./exchange.ts";
import type { SentBody } from "./forwarding.ts";
import type { RelayEnd } from "./relay.ts";
import type { BodyLease } from "./request-body.ts";
import { type Forward, finishUnsent, openRound, type Round, type RoundWatch, watchRound } from "./round.ts";
import type { Head } from "./upstream-call.ts";

/** One message of the model on its way to the client, in which the model may call tools of Ebb's own. */
export interface Following {
  readonly desk: Desk;
  readonly exchange: Exchange;
  readonly wire: Wire;
  readonly inlineWire: InlineWire;
  readonly inline: Inline;
  readonly answerTool: AnswerTool;
  /** Memory of the exchange's bodies. */
  readonly lease: BodyLease;
  /** What was sent upstream for it so far. */
  readonly tally: { rounds: number; bytes: number; lastStatus: number };
}

/** A round on its way, and who is told of its end. */
export interface OpenedRound extends Round {
  readonly watch: RoundWatch;
}

/** What becomes of a message whose model called tools of Ebb's. */
export type Answered =
  /** The next request, to be sent. */
  | { readonly kind: "next"; readonly next: Forward }
  /** Nothing more is asked for: the results of the client's own calls come with its next request. */
  | { readonly kind: "beside" }
  | { readonly kind: "failed"; readonly reason: RefusedReason; readonly words: string }
  /** The client left. */
  | { readonly kind: "gone" };

/** Answers the calls of a round, and makes calls and answers durable; not once the client left. */
export async function answerRound(following: Following, round: InlineRound): Promise<Answered> {
  const { desk, inline, answerTool, lease } = following;
  const { response } = following.exchange;
  const answers: ToolAnswer[] = [];
  for (const call of round.calls) {
    if (response.destroyed) return { kind: "gone" };
    answers.push(await answerTool(call, inline));
  }
  if (response.destroyed) return { kind: "gone" };
  const pinned = await inline.pin(round, answers, desk.nowMs());
  if (!pinned.ok) return { kind: "failed", reason: "keeper", words: pinned.words };
  const { next } = pinned;
  if (next === null) return { kind: "beside" };
  const isHeld = lease.grow(lengthOf(next));
  if (isHeld && !response.destroyed) return { kind: "next", next };
  await finishUnsent(next);
  if (response.destroyed) return { kind: "gone" };
  return { kind: "failed", reason: "busy", words: "too many bytes of requests are held at this moment" };
}

/** Sends the client's own request as the keeper prepared it. */
export function openFirst(
  following: Following,
  prepared: Forward,
  sent: SentBody,
  isTaken: (head: Head) => boolean,
): Promise<OpenedRound> {
  return open(following, prepared, { sent, isTaken, isFurther: false });
}

/** Sends the request of a further round. */
export async function openNext(
  following: Following,
  next: Forward,
  isTaken: (head: Head) => boolean,
): Promise<OpenedRound> {
  const sent = { kind: "edited", slices: next.body, headers: next.headers } as const;
  const opened = await open(following, next, { sent, isTaken, isFurther: true });
  void opened.ended.then(() => following.lease.shrink(lengthOf(next)));
  return opened;
}

/** The same message from this request on: what is recorded next belongs to it. */
export function from(following: Following, { inline }: Forward): Following {
  const pin = async () => ({ ok: false, words: "no answer can be recorded for this request" }) as const;
  return { ...following, inline: inline ?? { ...following.inline, pin } };
}

/** The end of a round whose response was read to its end. */
export async function endOf({ tally }: Following, { ended }: OpenedRound): Promise<RelayEnd> {
  const end = await ended;
  tally.rounds += 1;
  tally.bytes += end.bytes;
  tally.lastStatus = end.status;
  return end;
}

async function open(
  { desk, exchange, wire }: Following,
  prepared: Forward,
  given: { readonly sent: SentBody; readonly isFurther: boolean; isTaken(head: Head): boolean },
): Promise<OpenedRound> {
  const watch = watchRound(desk, exchange, wire, prepared);
  const round = await openRound(exchange, { ...given, chooseTap: watch.chooseTap });
  return { ...round, watch };
}

function lengthOf({ body }: Forward): number {
  return body.reduce((total, slice) => total + slice.length, 0);
}
