import { type TalkStep, withStep } from "../../support/wires/any-talk.ts";
import { writeTalk } from "../../support/wires/hand.ts";
import { WIRE_SYSTEM, type WireMessage } from "../../support/wires/talk.ts";
import { type WireName, WRITERS } from "../../support/wires/writers.ts";
import { createDice, type Dice } from "../client/dice.ts";
import type { WireMove, WireSession } from "./moves.ts";

/** One request as the proxy receives it, and what the client knows of it. */
export interface WireRequest {
  readonly body: Uint8Array;
  readonly thread: string;
  /** How often the thread's history was cut: what was sent before is no measure for what is sent now. */
  readonly cuts: number;
  readonly sessionId: string;
  readonly kind: "generate" | "count";
  readonly atMs: number;
  /** Ebb was started anew since the last request. */
  readonly isAfterRestart: boolean;
  /** The history holds nothing of the model yet. */
  readonly isOpening: boolean;
  /** Whether the response's end was ever seen, and its status. */
  readonly ending: { readonly status: number; readonly calls: { readonly id: string; readonly name: string }[] } | null;
}

interface Thread {
  readonly name: string;
  sessionId: string;
  messages: readonly WireMessage[];
  cuts: number;
  last: WireRequest | null;
}

interface Stage {
  readonly session: WireSession;
  readonly wire: WireName;
  /** Of what happens, which is the same in every format, and of how it is written. */
  readonly dice: Dice;
  readonly writingDice: Dice;
  readonly threads: Thread[];
  readonly requests: WireRequest[];
  nowMs: number;
  versions: number;
  isRestarted: boolean;
}

const THREADS_MAX = 3;
const STEP_MS = 20_000;
const ASK: TalkStep = { kind: "ask", hasPicture: false, words: "And now?" };

/** Plays a session on the client's side: the requests it would send to one API, in order. */
export function wireRequestsOf(session: WireSession, wire: WireName): readonly WireRequest[] {
  const begin: WireMessage = { role: "user", text: `Begin with task ${session.seed}.`, picture: null };
  const main: Thread = { name: "main", sessionId: "s0", messages: [begin], cuts: 0, last: null };
  const stage: Stage = {
    session,
    wire,
    dice: createDice(session.seed),
    writingDice: createDice(session.seed + 1),
    threads: [main],
    requests: [],
    nowMs: 1_000_000,
    versions: 0,
    isRestarted: false,
  };
  emit(stage, main, "generate");
  for (const move of session.moves) make(stage, move);
  return stage.requests;
}

function make(stage: Stage, move: WireMove): void {
  if (move.kind === "pause") stage.nowMs += move.minutes * 60_000;
  else if (move.kind === "restart") stage.isRestarted = true;
  else {
    const thread = stage.threads[move.thread % stage.threads.length];
    if (thread !== undefined) makeIn(stage, thread, move);
  }
}

function makeIn(stage: Stage, thread: Thread, move: Extract<WireMove, { readonly thread: number }>): void {
  switch (move.kind) {
    case "go":
      step(stage, thread, move.step);
      emit(stage, thread, "generate");
      break;
    case "again":
      repeat(stage, thread);
      break;
    case "count":
      emit(stage, thread, "count");
      break;
    case "resume":
      thread.sessionId = `s${stage.nowMs}`;
      emit(stage, thread, "generate");
      break;
    case "rewind":
      cut(thread, move.back);
      step(stage, thread, ASK);
      emit(stage, thread, "generate");
      break;
    case "fork":
      fork(stage, thread, move.back);
      break;
  }
}

function step(stage: Stage, thread: Thread, next: TalkStep): void {
  thread.messages = withStep(thread.messages, next, ++stage.versions);
  const answer = thread.messages.findLast(({ role }) => role === "assistant");
  if (answer?.role !== "assistant") return;
  // Without ids in the format the response has none either.
  const isNamed = !(stage.wire === "gemini" && stage.session.omitsIds);
  thread.last?.ending?.calls.push(...answer.calls.map(({ id, name }) => ({ id: isNamed ? id : "", name })));
}

/** Takes messages back, never past the first one and never between a call and its results. */
function cut(thread: Thread, back: number): void {
  let end = Math.max(1, thread.messages.length - back);
  while (end > 1 && thread.messages[end - 1]?.role === "assistant") end--;
  if (end < thread.messages.length) thread.cuts++;
  thread.messages = thread.messages.slice(0, end);
}

function fork(stage: Stage, thread: Thread, back: number): void {
  if (stage.threads.length >= THREADS_MAX) return;
  const name = `fork${stage.threads.length}`;
  const sessionId = stage.dice.oneIn(2) ? `s-${name}` : thread.sessionId;
  const twin: Thread = { ...thread, name, sessionId, last: null };
  cut(twin, back);
  step(stage, twin, ASK);
  stage.threads.push(twin);
  emit(stage, twin, "generate");
}

/** The same request once more, byte for byte, as clients retry. */
function repeat(stage: Stage, thread: Thread): void {
  if (thread.last === null) return;
  stage.nowMs += STEP_MS;
  thread.last = { ...thread.last, atMs: stage.nowMs, isAfterRestart: stage.isRestarted };
  stage.requests.push(thread.last);
  stage.isRestarted = false;
}

function emit(stage: Stage, thread: Thread, kind: WireRequest["kind"]): void {
  const { dice, writingDice, session, wire } = stage;
  stage.nowMs += STEP_MS;
  const hand = writingDice.pick([
    { spaces: 0, escapes: 0 },
    { spaces: 0, escapes: 0 },
    { spaces: 20, escapes: 20 },
  ]);
  const writing = { dice: writingDice, hand, model: "some-model", omitsIds: session.omitsIds };
  const request: WireRequest = {
    body: writeTalk(WRITERS[wire], { system: WIRE_SYSTEM, messages: thread.messages }, writing),
    thread: thread.name,
    cuts: thread.cuts,
    sessionId: thread.sessionId,
    kind,
    atMs: stage.nowMs,
    isAfterRestart: stage.isRestarted,
    isOpening: !thread.messages.some(({ role }) => role === "assistant"),
    ending: dice.oneIn(6) ? null : { status: dice.oneIn(9) ? 529 : 200, calls: [] },
  };
  stage.requests.push(request);
  stage.isRestarted = false;
  if (kind === "generate") thread.last = request;
}
