import { type JsonBytes, type Span, scanJson, toJsonBytes } from "../../lib/json-scan.ts";
import { elementsOf, type JsonMembers, membersOf } from "../../lib/json-spans.ts";
import type { FollowOptions, InlineCommand, InlineEvent } from "../../model/ports.ts";
import { type Splice, spliceBody } from "../shared/splice.ts";
import { kindOf, stringAt } from "../shared/value.ts";
import { type BlockDraft, openBlock } from "./block-draft.ts";
import { isHeld, isInlineCall, placeOf, roundOf } from "./round.ts";
import { NO_USAGE, nextRound, type RoundUsage, updateUsage, usageJson } from "./round-usage.ts";
import { errorJson } from "./stream-error.ts";

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
  /** JSON of the blocks that the client sees. */
  readonly shown: readonly string[];
  readonly usage: RoundUsage;
  /** JSON of the members that the first response gives the whole, by name. */
  readonly first: ReadonlyMap<string, string> | null;
}

interface Response {
  readonly text: JsonBytes;
  readonly members: JsonMembers["spans"];
  readonly content: Span;
}

type Step = readonly [WholeState, readonly InlineCommand[]];

const OVER: WholeState = { kind: "over" };
const CUT: InlineCommand = { kind: "cut" };
const OF_THE_FIRST = ["id", "model"];

/** Before the first response. */
export function beginWhole(options: FollowOptions): WholeState {
  return { kind: "waiting", options, answered: 0, seen: [], shown: [], usage: NO_USAGE, first: null };
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
  const { text, members } = response;
  const drafts = draftsOf(response, rounds);
  const hasHeld = drafts.some(isHeld);
  const round = roundOf(placeOf(drafts), drafts, rounds.seen);
  if (!hasHeld && rounds.answered === 0) return end(body, round.seen);
  const usage = members.get("usage");
  const next: Rounds = {
    ...rounds,
    seen: round.seen,
    shown: [...rounds.shown, ...drafts.flatMap((draft) => (isHeld(draft) ? [] : [draft.openedJson]))],
    usage:
      usage === undefined || kindOf(text, usage) !== "object" ? rounds.usage : updateUsage(rounds.usage, text, usage),
    first: rounds.first ?? firstOf(response),
  };
  if (!hasHeld || stringAt(text, members.get("stop_reason")) !== "tool_use")
    return end(merged(next, response), next.seen);
  const last = round.place === "beside" ? merged(next, response) : null;
  return [{ ...next, kind: "asking", body: last }, [{ kind: "answer", round }]];
}

function stepAnswered({
  body,
  options,
  answered,
  seen,
  shown,
  usage,
  first,
}: Extract<WholeState, { kind: "asking" }>): Step {
  if (body !== null) return end(body, seen);
  return [{ kind: "waiting", options, answered: answered + 1, seen, shown, usage: nextRound(usage), first }, []];
}

/** Null where the body is no message. */
function responseOf(body: Uint8Array): Response | null {
  const text = toJsonBytes(body);
  const scan = scanJson(text);
  if (!scan.ok || kindOf(text, scan.value) !== "object") return null;
  const members = membersOf(text, scan.value.start).spans;
  const content = members.get("content");
  return content === undefined || kindOf(text, content) !== "array" ? null : { text, members, content };
}

function draftsOf({ text, content }: Response, { options, answered }: Rounds): readonly BlockDraft[] {
  const isAnswering = answered < options.roundsMax;
  return elementsOf(text, content.start).map((span, index) => {
    const draft = openBlock(index, { text, span });
    const isInline = isAnswering && isInlineCall(draft, options.toolNames);
    return { ...draft, shownIndex: isInline ? null : index };
  });
}

function firstOf({ text, members }: Response): ReadonlyMap<string, string> {
  return new Map(
    OF_THE_FIRST.flatMap((name) => {
      const span = members.get(name);
      return span === undefined ? [] : [[name, text.bytes.toString("utf8", span.start, span.end)] as const];
    }),
  );
}

/** The last response with the blocks of all rounds, named like the first; every other byte as it came. */
function merged({ shown, answered, usage, first }: Rounds, { text, members, content }: Response): Uint8Array {
  const splices: Splice[] = [{ ...content, bytes: Buffer.from(`[${shown.join(",")}]`) }];
  for (const [name, json] of first ?? []) {
    const span = members.get(name);
    if (span !== undefined) splices.push({ ...span, bytes: Buffer.from(json) });
  }
  const told = members.get("usage");
  if (answered > 0 && told !== undefined && kindOf(text, told) === "object") {
    splices.push({ ...told, bytes: Buffer.from(usageJson(usage, text, told)) });
  }
  return Buffer.concat(spliceBody(text.bytes, splices));
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
