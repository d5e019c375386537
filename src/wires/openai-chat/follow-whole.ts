import { type JsonBytes, type Span, scanJson, toJsonBytes } from "../../lib/json-scan.ts";
import { elementsOf, membersOf } from "../../lib/json-spans.ts";
import type { FollowOptions, InlineCommand, InlineEvent } from "../../model/ports.ts";
import { insertion, type Splice, spliceBody } from "../shared/splice.ts";
import { kindOf, stringAt } from "../shared/value.ts";
import { type CallDraft, openCall, withEntry } from "./call-draft.ts";
import { entryOf } from "./chunk.ts";
import { membersAt } from "./object.ts";
import { blankOf, isAnswerable, isHeld, type MessageDraft, roundOf } from "./round.ts";
import { NO_USAGE, nextRound, type RoundUsage, updateUsage, usageSplices } from "./round-usage.ts";
import { errorJson } from "./stream-error.ts";
import { NO_THINKING, type ThinkingDraft, thinkingMembers, withThinking } from "./thinking-draft.ts";

/** Where following responses without streaming stands. */
export type WholeState =
  | ({ readonly kind: "waiting" } & Rounds)
  /** `body` is what the client gets where the answers stand beside those of its own calls; null for a round. */
  | ({ readonly kind: "asking"; readonly body: Uint8Array | null } & Rounds)
  | { readonly kind: "over" };

/** What the rounds before this one gave. */
interface Rounds {
  readonly options: FollowOptions;
  readonly answered: number;
  readonly seen: readonly string[];
  /** Text and thinking that the client sees, and what of the text has no mark yet. */
  readonly words: string;
  readonly blank: string;
  readonly thinking: ThinkingDraft;
  readonly usage: RoundUsage;
  /** JSON of the id of the first response. */
  readonly idJson: string | null;
}

interface Response {
  readonly text: JsonBytes;
  readonly top: ReadonlyMap<string, Span>;
  readonly choice: ReadonlyMap<string, Span>;
  readonly message: Span;
  readonly members: ReadonlyMap<string, Span>;
  readonly calls: readonly Span[];
}

type Step = readonly [WholeState, readonly InlineCommand[]];

const OVER: WholeState = { kind: "over" };
const CUT: InlineCommand = { kind: "cut" };

/** Before the first response. */
export function beginWhole(options: FollowOptions): WholeState {
  const nothing = { answered: 0, seen: [], words: "", blank: "", thinking: NO_THINKING, usage: NO_USAGE, idJson: null };
  return { kind: "waiting", options, ...nothing };
}

/** The next state, and what is to be done. */
export function stepWhole(state: WholeState, event: InlineEvent): Step {
  if (state.kind === "over") return [OVER, []];
  if (event.kind === "failed") return fail(event.error);
  if (state.kind === "asking") return event.kind === "answered" ? stepAnswered(state) : [state, []];
  if (event.kind === "ended") return [OVER, [CUT]];
  return event.kind === "whole" ? readWhole(state, event.body) : [state, []];
}

function readWhole(rounds: Rounds, body: Uint8Array): Step {
  const response = responseOf(body);
  if (response === null) return rounds.answered === 0 ? end(body, []) : fail(body);
  const draft = draftOf(response, rounds);
  const hasHeld = draft.calls.some(isHeld);
  const round = roundOf(draft, rounds.seen);
  if (!hasHeld && rounds.answered === 0) return end(body, round.seen);
  const { text, top, choice, members } = response;
  const usage = top.get("usage");
  const isTold = usage !== undefined && kindOf(text, usage) === "object";
  const id = top.get("id");
  const next: Rounds = {
    ...rounds,
    seen: round.seen,
    words: rounds.words + draft.words,
    blank: blankOf(draft),
    thinking: withThinking(rounds.thinking, text, members),
    usage: isTold ? updateUsage(rounds.usage, text, usage) : rounds.usage,
    idJson: rounds.idJson ?? (id === undefined ? null : text.bytes.toString("utf8", id.start, id.end)),
  };
  const bodyOf = () => merged(next, response, draft.calls);
  if (!hasHeld || !isAnswerable(stringAt(text, choice.get("finish_reason")))) return end(bodyOf(), next.seen);
  return [{ ...next, kind: "asking", body: round.place === "beside" ? bodyOf() : null }, [{ kind: "answer", round }]];
}

function stepAnswered({ kind: _kind, body, ...rounds }: Extract<WholeState, { kind: "asking" }>): Step {
  if (body !== null) return end(body, rounds.seen);
  return [{ ...rounds, kind: "waiting", answered: rounds.answered + 1, usage: nextRound(rounds.usage) }, []];
}

/** Null where the body is no message of one choice whose content is text. */
function responseOf(body: Uint8Array): Response | null {
  const text = toJsonBytes(body);
  const scan = scanJson(text);
  if (!scan.ok || kindOf(text, scan.value) !== "object") return null;
  const top = membersOf(text, scan.value.start).spans;
  const choices = listAt(text, top.get("choices"));
  const choice = membersAt(text, choices[0]);
  const message = choice.get("message");
  if (choices.length !== 1 || message === undefined || kindOf(text, message) !== "object") return null;
  const members = membersAt(text, message);
  const content = members.get("content");
  const isText = content === undefined || ["string", "null"].includes(kindOf(text, content));
  return isText ? { text, top, choice, message, members, calls: listAt(text, members.get("tool_calls")) } : null;
}

function listAt(text: JsonBytes, span: Span | undefined): readonly Span[] {
  return span !== undefined && kindOf(text, span) === "array" ? elementsOf(text, span.start) : [];
}

function draftOf({ text, top, members, calls }: Response, { options, answered, blank }: Rounds): MessageDraft {
  const drafts: CallDraft[] = [];
  for (const [index, span] of calls.entries()) {
    const entry = { ...entryOf(text, span), index };
    const draft = withEntry(openCall(entry, drafts), text, entry);
    const isOurs = answered < options.roundsMax && !draft.isCustom && options.toolNames.has(draft.name);
    drafts.push(isOurs ? draft : { ...draft, shownIndex: index });
  }
  return {
    blank,
    name: stringAt(text, top.get("id")) ?? "",
    words: stringAt(text, members.get("content")) ?? "",
    refusal: stringAt(text, members.get("refusal")) ?? "",
    thinking: withThinking(NO_THINKING, text, members),
    calls: drafts,
  };
}

/** The last response with the text and the thinking of all rounds, named like the first; every other byte as it came. */
function merged(
  { words, thinking, answered, usage, idJson }: Rounds,
  response: Response,
  drafts: readonly CallDraft[],
): Uint8Array {
  const { text, top, message, members, calls } = response;
  const splices: Splice[] = [];
  const put = (name: string, json: string) => {
    const span = members.get(name);
    if (span === undefined) splices.push(insertion(message.start + 1, `${JSON.stringify(name)}:${json},`));
    else splices.push({ ...span, bytes: Buffer.from(json) });
  };
  if (answered > 0 && words !== "") put("content", JSON.stringify(words));
  if (answered > 0) for (const [name, json] of thinkingMembers(thinking)) put(name, json);
  const shown = calls.filter((_call, index) => drafts[index]?.shownIndex !== null);
  if (shown.length < calls.length) {
    const list = shown.map(({ start, end }) => text.bytes.toString("utf8", start, end)).join(",");
    // An empty list is refused when the client sends it back.
    put("tool_calls", shown.length === 0 ? "null" : `[${list}]`);
  }
  const id = top.get("id");
  if (id !== undefined && idJson !== null) splices.push({ ...id, bytes: Buffer.from(idJson) });
  const told = top.get("usage");
  const isTold = answered > 0 && told !== undefined && kindOf(text, told) === "object";
  return Buffer.concat(spliceBody(text.bytes, isTold ? [...splices, ...usageSplices(usage, text, told)] : splices));
}

function end(body: Uint8Array, seen: readonly string[]): Step {
  return [
    OVER,
    [
      { kind: "send", bytes: body },
      { kind: "end", seen },
    ],
  ];
}

function fail(error: Uint8Array): Step {
  return [OVER, [{ kind: "send", bytes: Buffer.from(errorJson(error)) }, CUT]];
}
