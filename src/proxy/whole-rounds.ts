import type { InlineRound } from "../model/aside.ts";
import type { InlineMachine } from "../model/ports.ts";
import { answerUnavailable } from "./exchange.ts";
import { answerRound, endOf, type Following, type OpenedRound, openNext } from "./following.ts";
import { toClientHeadersOfOther } from "./headers.ts";
import { WHOLE_RESPONSE_BYTES_MAX } from "./limits.ts";
import { cut, type RelayEnd, toClient, writeHead } from "./relay.ts";
import { type Forward, isJson, isReadable, type TakenResponse } from "./round.ts";
import { chunksOf, collect } from "./taken-body.ts";
import { drained, type Told, tell } from "./telling.ts";
import type { Head } from "./upstream-call.ts";

/** A message that goes on with the response of this round. */
interface Stage {
  readonly told: Told;
  readonly round: OpenedRound;
  readonly taken: TakenResponse;
}

type Step =
  | { readonly kind: "over"; readonly end: RelayEnd }
  | { readonly kind: "stage"; readonly stage: Stage }
  | { readonly kind: "asked"; readonly told: Told; readonly asked: InlineRound; readonly head: Head };

/**
 * Follows a message that reaches the client whole. A further round that fails is answered with the upstream's own status and
 * body, or as a request that could not be carried.
 */
export async function followWhole(
  following: Following,
  machine: InlineMachine,
  round: OpenedRound,
  taken: TakenResponse,
): Promise<RelayEnd> {
  let step: Step = { kind: "stage", stage: { told: { machine, asked: null, state: "open" }, round, taken } };
  while (step.kind !== "over") {
    step = step.kind === "stage" ? await hear(following, step.stage) : await goOn(following, step);
  }
  return step.end;
}

/** Reads one round's response. Where nothing is to be answered, the client gets what the machine made of it. */
async function hear(following: Following, { told, round, taken }: Stage): Promise<Step> {
  const { head, body } = taken;
  const collected = await collect(body, WHOLE_RESPONSE_BYTES_MAX);
  if (collected.kind === "over") return passOn(following, round, taken, collected.chunks);
  const end = await endOf(following, round);
  if (end.error !== null) {
    await round.watch.finish(end);
    return { kind: "over", end: { ...end, status: 0 } };
  }
  const pieces: Uint8Array[] = [];
  const now = await tell(following, told, [{ kind: "whole", body: collected.bytes }], (bytes) => pieces.push(bytes));
  if (now.asked === null) respond(following, head, pieces, now);
  await round.watch.finish(end);
  return now.asked === null
    ? { kind: "over", end }
    : { kind: "asked", told: { ...now, asked: null }, asked: now.asked, head };
}

/** Answers what the model asked Ebb, and goes on behind it. */
async function goOn(following: Following, { told, asked, head }: Extract<Step, { kind: "asked" }>): Promise<Step> {
  const answered = await answerRound(following, asked);
  switch (answered.kind) {
    case "gone":
      return over({ error: "CLIENT_LEFT", isClientGone: true });
    case "beside": {
      const pieces: Uint8Array[] = [];
      const now = await tell(following, told, [{ kind: "answered" }], (bytes) => pieces.push(bytes));
      respond(following, head, pieces, now);
      return over({ status: head.status });
    }
    case "failed":
      answerUnavailable(following.desk, following.exchange, answered.reason, answered.words);
      return over({});
    case "next":
      return askAgain(following, told, answered.next);
  }
}

async function askAgain(following: Following, told: Told, next: Forward): Promise<Step> {
  const round = await openNext(following, next, (head) => isReadable(head) && isJson(head.headers));
  const { taken } = round;
  if (taken === null) {
    const end = await endOf(following, round);
    await round.watch.finish(end);
    return { kind: "over", end };
  }
  const now = await tell(following, told, [{ kind: "answered" }], () => undefined);
  return { kind: "stage", stage: { told: now, round, taken } };
}

/** What is too long to be followed reaches the client as it comes, but not behind what it did not see. */
async function passOn(
  following: Following,
  round: OpenedRound,
  { head, body }: TakenResponse,
  chunks: readonly Buffer[],
): Promise<Step> {
  const { desk, exchange, tally } = following;
  const { response } = exchange;
  if (tally.rounds > 0) {
    for await (const _rest of chunksOf(body));
    await round.watch.finish(await endOf(following, round));
    answerUnavailable(desk, exchange, "keeper", "the response is longer than what can be put together");
    return over({});
  }
  const client = toClient({ response, method: exchange.request.method ?? "POST", tap: null }, head, () => undefined);
  for (const chunk of chunks) if (!client.take(chunk)) await drained(response);
  for await (const chunk of chunksOf(body)) if (!client.take(chunk)) await drained(response);
  const end = await endOf(following, round);
  if (end.error === null) client.end();
  else client.cut();
  await round.watch.finish(end);
  return { kind: "over", end };
}

function respond({ exchange }: Following, head: Head, pieces: readonly Uint8Array[], { state }: Told): void {
  const { response } = exchange;
  if (response.destroyed) return;
  const body = Buffer.concat(pieces);
  if (state === "cut") {
    cut(response);
  } else {
    writeHead(response, head, [...toClientHeadersOfOther(head.headers), "content-length", String(body.length)]);
    response.end(body);
  }
}

function over(end: Partial<RelayEnd>): Step {
  return { kind: "over", end: { status: 0, bytes: 0, error: null, isClientGone: false, ...end } };
}
