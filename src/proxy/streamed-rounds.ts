import { createRawSseReader, type RawSseEvent } from "../lib/sse-raw.ts";
import type { InlineRound } from "../model/aside.ts";
import type { InlineEvent, InlineMachine } from "../model/ports.ts";
import { type Answered, answerRound, endOf, type Following, type OpenedRound, openNext } from "./following.ts";
import { toClientHeadersOfOther } from "./headers.ts";
import { ROUND_ERROR_BYTES_MAX } from "./limits.ts";
import { cut, type RelayEnd, writeHead } from "./relay.ts";
import { type Forward, isJson, isReadable, isStream, type TakenResponse } from "./round.ts";
import { chunksOf, collect } from "./taken-body.ts";
import { drained, type Told, tell } from "./telling.ts";

/** A message that goes on with the response of this round. */
interface Stage {
  readonly told: Told;
  readonly round: OpenedRound;
  readonly taken: TakenResponse;
}

/**
 * Follows a message that is streamed to the client. What the machine lets through is sent at once, at the speed of the slower
 * side; the head is that of the first round. A round that breaks off breaks off for the client.
 */
export async function followStream(
  following: Following,
  machine: InlineMachine,
  round: OpenedRound,
  taken: TakenResponse,
): Promise<RelayEnd> {
  const { response } = following.exchange;
  const { head } = taken;
  writeHead(response, head, toClientHeadersOfOther(head.headers));
  let stage: Stage | null = { told: { machine, asked: null, state: "open" }, round, taken };
  let error: string | null = null;
  while (stage !== null) {
    const { told, end }: Heard = await hear(following, stage);
    error = end.error;
    const { asked } = told;
    if (error !== null || asked === null) break;
    const onward: Onward = await goOn(following, { ...told, asked: null }, asked);
    ({ stage, error } = onward);
  }
  const isClientGone = response.destroyed && !response.writableEnded;
  return { status: head.status, bytes: 0, error: isClientGone ? "CLIENT_LEFT" : error, isClientGone };
}

interface Heard {
  readonly told: Told;
  readonly end: RelayEnd;
}

/** Passes one round's response on. Where nothing is to be answered, the message has ended for the client. */
async function hear(following: Following, { told, round, taken }: Stage): Promise<Heard> {
  const { response } = following.exchange;
  const reader = createEventReader();
  let now = told;
  for await (const chunk of chunksOf(taken.body)) {
    now = await tellClient(following, now, reader.eventsOf(chunk));
  }
  const end = await endOf(following, round);
  if (end.error === null) {
    now = await tellClient(following, now, reader.rest());
    if (now.asked === null) endMessage(following, now);
  } else if (!end.isClientGone) cut(response);
  await round.watch.finish(end);
  return { told: now, end };
}

interface Onward {
  /** Null: the message has ended for the client. */
  readonly stage: Stage | null;
  readonly error: string | null;
}

/** Answers what the model asked Ebb, and goes on behind it. */
async function goOn(following: Following, told: Told, asked: InlineRound): Promise<Onward> {
  const answered: Answered = await answerRound(following, asked);
  switch (answered.kind) {
    case "gone":
      return OVER;
    case "beside":
      endMessage(following, await tellClient(following, told, [{ kind: "answered" }]));
      return OVER;
    case "failed":
      following.desk.counts.refused(answered.reason);
      await fail(following, told, following.wire.errorBody("unavailable", answered.words));
      return OVER;
    case "next":
      return askAgain(following, told, answered.next);
  }
}

const OVER: Onward = { stage: null, error: null };

async function askAgain(following: Following, told: Told, next: Forward): Promise<Onward> {
  const round = await openNext(following, next, () => true);
  const { taken } = round;
  if (taken !== null && isReadable(taken.head) && isStream(taken.head.headers)) {
    return { stage: { told: await tellClient(following, told, [{ kind: "answered" }]), round, taken }, error: null };
  }
  const error = taken === null ? null : await errorIn(taken);
  const end = await endOf(following, round);
  await round.watch.finish(end);
  if (end.isClientGone) return OVER;
  const code = end.status === 0 ? end.error : null;
  const words = `the upstream gave no answer (${code ?? end.status})`;
  await fail(following, told, error ?? following.wire.errorBody("unavailable", words));
  return { stage: null, error: code };
}

/** The provider's own error; null where it is none that could be told. */
async function errorIn({ head, body }: TakenResponse): Promise<Uint8Array | null> {
  const collected = await collect(body, ROUND_ERROR_BYTES_MAX);
  for await (const _rest of chunksOf(body));
  const isError = head.status >= 400 && isJson(head.headers);
  return isError && collected.kind === "whole" ? collected.bytes : null;
}

async function fail(following: Following, told: Told, error: Uint8Array): Promise<void> {
  endMessage(following, await tellClient(following, told, [{ kind: "failed", error }]));
}

function endMessage({ exchange }: Following, { state }: Told): void {
  if (state === "cut") cut(exchange.response);
  else exchange.response.end();
}

async function tellClient(following: Following, told: Told, events: readonly InlineEvent[]): Promise<Told> {
  const { response } = following.exchange;
  const now = await tell(following, told, events, (bytes) => {
    if (!response.destroyed) response.write(bytes);
  });
  await drained(response);
  return now;
}

interface EventReader {
  eventsOf(chunk: Uint8Array): readonly InlineEvent[];
  /** What stands behind the last event, and the end. */
  rest(): readonly InlineEvent[];
}

function createEventReader(): EventReader {
  let events: InlineEvent[] = [];
  const note = (event: RawSseEvent) => void events.push({ kind: "event", ...event });
  const reader = createRawSseReader(note);
  const taken = () => {
    const read = events;
    events = [];
    return read;
  };
  return {
    eventsOf(chunk) {
      reader.push(chunk);
      return taken();
    },
    rest() {
      const raw = reader.rest();
      if (raw.length > 0) note({ raw, name: "", data: "" });
      events.push({ kind: "ended" });
      return taken();
    },
  };
}
