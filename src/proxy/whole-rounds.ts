import type { InlineRound } from "../model/aside.ts";
import type { InlineMachine } from "../model/ports.ts";
import { answerUnavailable } from "./exchange.ts";
import { answerRound, endOf, type Following, from, type OpenedRound, openNext } from "./following.ts";
import { toClientHeadersOfOther } from "./headers.ts";
import { WHOLE_RESPONSE_BYTES_MAX } from "./limits.ts";
import { CLIENT_LEFT, type RelayEnd, toClient, writeHead } from "./relay.ts";
import { type Forward, isJson, isReadable, type TakenResponse } from "./round.ts";
import { chunksOf, collect } from "./taken-body.ts";
import { drained, type Told, tell } from "./telling.ts";
import type { Head } from "./upstream-call.ts";

/** A message that goes on with the response of this round. */
interface Stage {
  readonly following: Following;
  readonly told: Told;
  readonly round: OpenedRound;
  readonly taken: TakenResponse;
}

type Step =
  | { readonly kind: "over"; readonly end: RelayEnd }
  | { readonly kind: "stage"; readonly stage: Stage }
  | {
      readonly kind: "asked";
      readonly following: Following;
      readonly told: Told;
      readonly asked: InlineRound;
      readonly head: Head;
    };

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
  const told: Told = { machine, asked: null, state: "open" };
  let step: Step = { kind: "stage", stage: { following, told, round, taken } };
  while (step.kind !== "over") {
    step = step.kind === "stage" ? await hear(step.stage) : await goOn(step);
  }
  return step.end;
}

/** Reads one round's response. Where nothing is to be answered, the client gets what the machine made of it. */
async function hear({ following, told, round, taken }: Stage): Promise<Step> {
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
  const { asked } = now;
  const answered = asked === null ? respond(following, head, pieces, now) : null;
  await round.watch.finish(end);
  if (asked === null) return answered ?? over({});
  return { kind: "asked", following, told: { ...now, asked: null }, asked, head };
}

/** Answers what the model asked Ebb, and goes on behind it. */
async function goOn({ following, told, asked, head }: Extract<Step, { kind: "asked" }>): Promise<Step> {
  const answered = await answerRound(following, asked);
  switch (answered.kind) {
    case "gone":
      return over({ error: CLIENT_LEFT, isClientGone: true });
    case "beside": {
      const pieces: Uint8Array[] = [];
      const now = await tell(following, told, [{ kind: "answered" }], (bytes) => pieces.push(bytes));
      return respond(following, head, pieces, now);
    }
    case "failed":
      answerUnavailable(following.desk, following.exchange, answered.reason, answered.words);
      return over({});
    case "next":
      return askAgain(following, told, answered.next);
  }
}

async function askAgain(before: Following, told: Told, next: Forward): Promise<Step> {
  const following = from(before, next);
  const round = await openNext(before, next, (head) => isReadable(head) && isJson(head.headers));
  const { taken } = round;
  if (taken === null) {
    const end = await endOf(following, round);
    await round.watch.finish(end);
    return { kind: "over", end };
  }
  const now = await tell(following, told, [{ kind: "answered" }], () => undefined);
  return { kind: "stage", stage: { following, told: now, round, taken } };
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

/** Gives the client the whole message, or refuses for now what cannot be put together. */
function respond({ desk, exchange }: Following, head: Head, pieces: readonly Uint8Array[], { state }: Told): Step {
  const { response } = exchange;
  if (state === "cut") {
    answerUnavailable(desk, exchange, "keeper", "the provider's answer could not be read");
    return over({});
  }
  if (response.destroyed) return over({ error: CLIENT_LEFT, isClientGone: true });
  const body = Buffer.concat(pieces);
  writeHead(response, head, [...toClientHeadersOfOther(head.headers), "content-length", String(body.length)]);
  response.end(body);
  return over({ status: head.status });
}

function over(end: Partial<RelayEnd>): Step {
  return { kind: "over", end: { status: 0, bytes: 0, error: null, isClientGone: false, ...end } };
}
