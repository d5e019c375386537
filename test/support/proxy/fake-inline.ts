import type { InlineRound } from "../../../src/model/aside.ts";
import type { FollowOptions, InlineCommand, InlineEvent, InlineMachine, InlineWire } from "../../../src/model/ports.ts";

/**
 * A format in which a message is `say`, `call` and `stop` events, or JSON with the members `say` and `calls`; a `nonsense` event, or JSON
 * without the first, is none. Calls of Ebb's tools
 * are held back; what is told of a failure is an event of its own.
 */
export function createFakeInline(): InlineWire {
  const unused = () => {
    throw new Error("the proxy has no business here");
  };
  return {
    toolsJson: unused,
    insert: unused,
    marksOf: unused,
    resultJson: unused,
    append: unused,
    follow: (options) =>
      machineOf({ options, seen: [], calls: [], isBeside: false, rounds: 1, held: [], isOver: false, said: "" }),
  };
}

/** Bytes of one event. */
export function eventOf(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}

interface State {
  readonly options: FollowOptions;
  readonly seen: readonly string[];
  readonly calls: readonly string[];
  readonly isBeside: boolean;
  readonly rounds: number;
  /** Sent once the calls were answered beside others, or as they are where they go to the client. */
  readonly held: readonly Uint8Array[];
  readonly isOver: boolean;
  /** Without streaming: the text of the rounds so far. */
  readonly said: string;
}

type Step = readonly [InlineMachine, readonly InlineCommand[]];

function machineOf(state: State): InlineMachine {
  return { step: (event) => stepFrom(state, event) };
}

function stepFrom(state: State, event: InlineEvent): Step {
  switch (event.kind) {
    case "event":
      return tellEvent(state, event);
    case "whole":
      return tellWhole(state, event.body);
    case "ended":
      return to(state, state.isOver || state.held.length > 0 ? [] : [{ kind: "cut" }]);
    case "answered":
      if (state.isBeside) return endWith(state, state.held);
      return to({ ...state, calls: [], held: [], rounds: state.rounds + 1 }, []);
    case "failed":
      return to(state, [
        { kind: "send", bytes: Buffer.from(eventOf("error", Buffer.from(event.error).toString())) },
        { kind: "cut" },
      ]);
  }
}

function tellEvent(state: State, { name, data, raw }: Extract<InlineEvent, { kind: "event" }>): Step {
  if (name === "nonsense") return to(state, [{ kind: "cut" }]);
  const isCall = name === "call";
  if (isCall && state.options.toolNames.has(data) && state.rounds <= state.options.roundsMax) {
    return to({ ...state, calls: [...state.calls, data] }, []);
  }
  if (name === "stop" && state.calls.length > 0) {
    return to({ ...state, held: [raw] }, [{ kind: "answer", round: roundOf(state) }]);
  }
  if (name === "stop") return endWith(state, [raw]);
  const seen = name === "say" || isCall ? [...state.seen, data] : state.seen;
  return to({ ...state, seen, isBeside: state.isBeside || isCall }, [{ kind: "send", bytes: raw }]);
}

function tellWhole(state: State, body: Uint8Array): Step {
  const message: { say?: string; calls?: readonly string[] } = JSON.parse(Buffer.from(body).toString());
  if (message.say === undefined) return to(state, [{ kind: "cut" }]);
  const calls = (message.calls ?? []).filter((name) => state.options.toolNames.has(name));
  const others = (message.calls ?? []).filter((name) => !calls.includes(name));
  const said = state.said + message.say;
  const answer = Buffer.from(JSON.stringify({ say: said, calls: others }));
  const next = { ...state, said, calls, isBeside: others.length > 0, held: [answer] };
  if (calls.length === 0) return endWith(next, state.rounds === 1 ? [body] : [answer]);
  return to(next, [{ kind: "answer", round: roundOf(next) }]);
}

function roundOf({ calls, seen, isBeside }: State): InlineRound {
  return {
    place: isBeside ? "beside" : "round",
    blocks: [],
    calls: calls.map((name, index) => ({ blockIndex: index, id: `c${index}`, name, input: {}, seenBefore: 0 })),
    seen,
    seenStart: 0,
  };
}

function endWith(state: State, last: readonly Uint8Array[]): Step {
  return to({ ...state, isOver: true }, [
    ...last.map((bytes) => ({ kind: "send", bytes }) as const),
    { kind: "end", seen: state.seen },
  ]);
}

function to(state: State, commands: readonly InlineCommand[]): Step {
  return [machineOf(state), commands];
}
