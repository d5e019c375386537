import { type JsonBytes, type Span, scanJson, toJsonBytes } from "../../lib/json-scan.ts";
import { membersOf } from "../../lib/json-spans.ts";
import type { FollowOptions, InlineCommand, InlineEvent } from "../../model/ports.ts";
import { spliceBody } from "../shared/splice.ts";
import { kindOf, stringAt } from "../shared/value.ts";
import { endHolding, type HeldKind, type Holding, holdItem, NOTHING_HELD } from "./holding.ts";
import { endItem, type ItemDraft, isOwnCall, openItem } from "./item-draft.ts";
import { hasOwnCall } from "./reading.ts";
import { elementsIn, firstNamesOf, mergeSplices, type Rounds } from "./response-json.ts";
import { isWithheld, roundOf } from "./round.ts";
import { addUsage, NO_USAGE } from "./round-usage.ts";
import { errorJson } from "./stream-error.ts";

/** Where following responses without streaming stands. */
export type WholeState =
  | ({ readonly kind: "waiting" } & Answered)
  /** `body` is what the client gets where the answers stand beside those of its own calls; null for a round. */
  | { readonly kind: "asking"; readonly body: Uint8Array | null; readonly next: Answered }
  | { readonly kind: "over" };

/** What the rounds before this one gave. */
interface Answered extends Omit<Rounds, "drafts"> {
  readonly options: FollowOptions;
  readonly answered: number;
  readonly seen: readonly string[];
}

interface Response {
  readonly text: JsonBytes;
  readonly span: Span;
}

type Step = readonly [WholeState, readonly InlineCommand[]];

const OVER: WholeState = { kind: "over" };
const CUT: InlineCommand = { kind: "cut" };

/** Before the first response. */
export function beginWhole(options: FollowOptions): WholeState {
  return { kind: "waiting", options, answered: 0, seen: [], shownBefore: [], usageBefore: NO_USAGE, first: null };
}

/** The next state, and what is to be done. */
export function stepWhole(state: WholeState, event: InlineEvent): Step {
  if (state.kind === "over") return [OVER, []];
  if (event.kind === "failed") return fail(event.error);
  if (state.kind === "asking") return event.kind === "answered" ? stepAnswered(state) : [state, []];
  if (event.kind === "ended") return [OVER, [CUT]];
  return event.kind === "whole" ? readWhole(state, event.body) : [state, []];
}

function readWhole(before: Answered, body: Uint8Array): Step {
  const response = responseOf(body);
  if (response === null) return before.answered === 0 ? end(body, []) : fail(body);
  const { text, span } = response;
  const { options, answered, shownBefore, usageBefore } = before;
  const isCompleted = stringAt(text, membersOf(text, span.start).spans.get("status")) === "completed";
  const drafts = draftsOf(response, before, isCompleted);
  const round = roundOf(drafts, options.toolNames, before.seen);
  const hasOwn = hasOwnCall({ drafts, options });
  if (!hasOwn && answered === 0) return end(body, round.seen);
  const first = before.first ?? firstNamesOf(text, span);
  const rounds: Rounds = { drafts, shownBefore, usageBefore, first };
  const merged = () => Buffer.concat(spliceBody(text.bytes, mergeSplices(text, span, rounds)));
  if (!hasOwn || !isCompleted) return end(merged(), round.seen);
  const shown = drafts.flatMap((draft) => (isWithheld(draft) || draft.json === null ? [] : [draft.json]));
  const next: Answered = {
    options,
    answered: answered + 1,
    seen: round.seen,
    shownBefore: [...shownBefore, ...shown],
    usageBefore: addUsage(usageBefore, text, span),
    first,
  };
  const last = round.place === "beside" ? merged() : null;
  return [{ kind: "asking", body: last, next }, [{ kind: "answer", round }]];
}

function stepAnswered({ body, next }: Extract<WholeState, { kind: "asking" }>): Step {
  return body === null ? [{ kind: "waiting", ...next }, []] : end(body, next.seen);
}

/** Null where the body is no response. */
function responseOf(body: Uint8Array): Response | null {
  const text = toJsonBytes(body);
  const scan = scanJson(text);
  if (!scan.ok || kindOf(text, scan.value) !== "object") return null;
  const output = membersOf(text, scan.value.start).spans.get("output");
  return output !== undefined && kindOf(text, output) === "array" ? { text, span: scan.value } : null;
}

/** Items in their order, those that the client sees with their places. */
function draftsOf(
  { text, span }: Response,
  { options, answered }: Answered,
  isCompleted: boolean,
): readonly ItemDraft[] {
  const isAnswering = answered < options.roundsMax;
  const items = elementsIn(text, span).map((element, index) => itemOf(index, text, element));
  let holding: Holding = NOTHING_HELD;
  const shown = new Set<number>();
  for (const item of items) {
    const kind = isAnswering ? heldKindOf(item, options) : "other";
    const held = holdItem(holding, kind, item.index);
    holding = held.holding;
    for (const index of held.shown) shown.add(index);
    if (kind === "other") shown.add(item.index);
  }
  const isAnswered = isCompleted && isAnswering && items.some((item) => isOwnCall(item, options.toolNames));
  for (const index of endHolding(holding, isAnswered).shown) shown.add(index);
  return items.map((item) => ({ ...item, shownIndex: shown.has(item.index) ? item.index : null }));
}

function itemOf(index: number, text: JsonBytes, span: Span): ItemDraft {
  if (kindOf(text, span) === "object") return endItem(openItem(index, text, span), text, span);
  return {
    type: "",
    index,
    shownIndex: null,
    callId: "",
    name: "",
    json: text.bytes.toString("utf8", span.start, span.end),
  };
}

function heldKindOf(draft: ItemDraft, { toolNames }: FollowOptions): HeldKind {
  if (isOwnCall(draft, toolNames)) return "own-call";
  return draft.type === "reasoning" ? "reasoning" : "other";
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
