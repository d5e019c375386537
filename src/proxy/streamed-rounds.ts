import { createRawSseReader, type RawSseEvent } from "../lib/sse-raw.ts";
import type { InlineRound } from "../model/aside.ts";
import type { InlineEvent, InlineMachine } from "../model/ports.ts";
import { type Answered, answerRound, endOf, type Following, from, type OpenedRound, openNext } from "./following.ts";
import { toClientHeadersOfOther } from "./headers.ts";
import { ROUND_ERROR_BYTES_MAX } from "./limits.ts";
import { CLIENT_LEFT, cut, type RelayEnd, writeHead } from "./relay.ts";
import { type Forward, isJson, isReadable, isStream, type TakenResponse } from "./round.ts";
import { chunksOf, collect } from "./taken-body.ts";
import { drained, type Told, tell } from "./telling.ts";

/** A message that goes on with the response of this round. */
interface Stage {
  readonly following: Following;
  readonly told: Told;
  readonly round: OpenedRound;
  readonly taken: TakenResponse;
}

/** What a message has come to. */
type Onward =
  | { readonly kind: "stage"; readonly stage: Stage }
  | { readonly kind: "asked"; readonly following: Following; readonly told: Told; readonly asked: InlineRound }
  /** It has ended for the client; `error` is what the upstream failed with. */
  | { readonly kind: "over"; readonly error: string | null };

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
  const told: Told = { machine, asked: null, state: "open" };
  let onward: Onward = { kind: "stage", stage: { following, told, round, taken } };
  while (onward.kind !== "over") {
    onward = onward.kind === "stage" ? await hear(onward.stage) : await goOn(onward);
  }
  const { error } = onward;
  return { status: head.status, bytes: 0, error, isClientGone: error === CLIENT_LEFT };
}

/** Passes one round's response on. Where nothing is to be answered, the message has ended for the client. */
async function hear({ following, told, round, taken }: Stage): Promise<Onward> {
  const { response } = following.exchange;
  const reader = createEventReader();
  let now = told;
  for await (const chunk of chunksOf(taken.body)) {
    now = await tellClient(following, now, reader.eventsOf(chunk));
    if (now.state === "cut") cut(response);
  }
  const end = await endOf(following, round);
  const isCut = now.state === "cut";
  if (end.error === null && !isCut) now = await tellClient(following, now, reader.rest());
  const { asked } = now;
  if (end.error !== null || isCut) cut(response);
  else if (asked === null) response.end();
  await round.watch.finish(end);
  if (end.error !== null || asked === null) return { kind: "over", error: isCut ? null : end.error };
  return { kind: "asked", following, told: { ...now, asked: null }, asked };
}

/** Answers what the model asked Ebb, and goes on behind it. */
async function goOn({ following, told, asked }: Extract<Onward, { kind: "asked" }>): Promise<Onward> {
  const answered: Answered = await answerRound(following, asked);
  switch (answered.kind) {
    case "gone":
      return { kind: "over", error: CLIENT_LEFT };
    case "beside":
      await tellClient(following, told, [{ kind: "answered" }]);
      following.exchange.response.end();
      return OVER;
    case "failed":
      following.desk.counts.refused(answered.reason);
      await fail(following, told, following.wire.errorBody("unavailable", answered.words));
      return OVER;
    case "next":
      return askAgain(following, told, answered.next);
  }
}

const OVER: Onward = { kind: "over", error: null };

async function askAgain(before: Following, told: Told, next: Forward): Promise<Onward> {
  const round = await openNext(before, next, () => true);
  const following = from(before, next);
  const { taken } = round;
  if (taken !== null && isReadable(taken.head) && isStream(taken.head.headers)) {
    const now = await tellClient(following, told, [{ kind: "answered" }]);
    return { kind: "stage", stage: { following, told: now, round, taken } };
  }
  const error = taken === null ? null : await errorIn(taken);
  const end = await endOf(following, round);
  await round.watch.finish(end);
  if (end.isClientGone) return { kind: "over", error: CLIENT_LEFT };
  const code = end.status === 0 ? end.error : null;
  const words = `the upstream gave no answer (${code ?? end.status})`;
  await fail(following, told, error ?? following.wire.errorBody("unavailable", words));
  return { kind: "over", error: code };
}

/** The provider's own error; null where it is none that could be told. */
async function errorIn({ head, body }: TakenResponse): Promise<Uint8Array | null> {
  const collected = await collect(body, ROUND_ERROR_BYTES_MAX);
  for await (const _rest of chunksOf(body));
  const isError = head.status >= 400 && isJson(head.headers);
  return isError && collected.kind === "whole" ? collected.bytes : null;
}

/** Tells the client that its message stays unfinished. */
async function fail(following: Following, told: Told, error: Uint8Array): Promise<void> {
  const { response } = following.exchange;
  const { state } = await tellClient(following, told, [{ kind: "failed", error }]);
  if (state === "cut") cut(response);
  else response.end();
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
  const note = ({ raw, name, data }: RawSseEvent) => void events.push({ kind: "event", raw, name, data });
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
