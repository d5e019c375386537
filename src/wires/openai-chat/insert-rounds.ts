import type { Span } from "../../lib/json-scan.ts";
import { decodeString } from "../../lib/json-spans.ts";
import type { PlacedAside } from "../../model/ports.ts";
import { insertion, type Splice } from "../shared/splice.ts";
import { kindOf } from "../shared/value.ts";
import { thoughtCall } from "./call-json.ts";
import { type Echo, offsetIn } from "./echo.ts";
import { THINKING_MEMBERS } from "./thinking-members.ts";

/** Rounds that stood at one place of the text. */
interface Group {
  /** Characters of the text in front of them. */
  readonly at: number;
  readonly rounds: readonly PlacedAside[];
}

/** How the message is written, as far as its text may be parted. */
interface Shape {
  readonly hasCalls: boolean;
  readonly hasThinking: boolean;
  readonly hasThinkingFirst: boolean;
  readonly hasRoleFirst: boolean;
}

/** What the model made beside text: it belongs behind the last round. */
const MADE = ["tool_calls", "function_call", "audio"];
const ROLE = '"role":"assistant"';

/**
 * Each round at its place in the text of the message, which is parted around it: the first part with the calls, their results, and
 * then what the model said next. Where the message cannot be parted so, all of them stand in front of it. Spans count from the message.
 */
export function roundSplices(echo: Echo, rounds: readonly PlacedAside[]): readonly Splice[] {
  if (rounds.length === 0) return [];
  const shape = shapeOf(echo);
  const groups = groupsOf(rounds);
  const parted = groups.map((group, index) => groupSplices(echo, shape, group, index === 0));
  const splices = parted.flatMap((own) => own ?? []);
  return parted.includes(null) ? [inFront(rounds, shape)] : splices;
}

function groupsOf(rounds: readonly PlacedAside[]): readonly Group[] {
  const groups: { at: number; rounds: PlacedAside[] }[] = [];
  for (const round of rounds) {
    const at = round.partedAt ?? 0;
    const last = groups.at(-1);
    if (last?.at === at) last.rounds.push(round);
    else groups.push({ at, rounds: [round] });
  }
  return groups;
}

function shapeOf({ outline: { text, members } }: Echo): Shape {
  const content = members.get("content");
  const isFirst = (span: Span | undefined) => span !== undefined && content !== undefined && span.start < content.start;
  const thinking = THINKING_MEMBERS.flatMap((name) => members.get(name) ?? []).filter(
    (span) => kindOf(text, span) !== "null",
  );
  return {
    hasCalls: MADE.some((name) => isMade(text, members.get(name))),
    hasThinking: thinking.length > 0,
    hasThinkingFirst: thinking.some(isFirst),
    hasRoleFirst: isFirst(members.get("role")),
  };
}

function isMade(text: Echo["outline"]["text"], span: Span | undefined): boolean {
  return span !== undefined && kindOf(text, span) !== "null";
}

/** Null where the message cannot be parted there. */
function groupSplices(echo: Echo, shape: Shape, { at, rounds }: Group, isFirst: boolean): readonly Splice[] | null {
  const { outline, words } = echo;
  if (at === 0) return [inFront(rounds, shape)];
  const content = outline.members.get("content");
  const before = MADE.map((name) => outline.members.get(name)).filter((span) => span !== undefined);
  const isApart = before.some((span) => span.start < (content?.start ?? 0));
  // Thinking stays where it is, in front of all that was said, and calls want theirs beside them.
  const hasOwnThinking = shape.hasThinking && (shape.hasCalls || !shape.hasThinkingFirst);
  if (content === undefined || at > words.length || isApart || hasOwnThinking) return null;
  const hasThought = shape.hasThinking && !isFirst;
  if (at < words.length) return partedInside(echo, shape, { at, rounds }, hasThought);
  return shape.hasCalls ? partedBehind(content, shape, rounds, hasThought) : atEnd(echo, rounds);
}

/** The text goes on in a message of its own. */
function partedInside(echo: Echo, shape: Shape, { at, rounds }: Group, hasThought: boolean): readonly Splice[] | null {
  const { outline, strings } = echo;
  const place = stringAt(echo, at);
  const holder = place === null ? undefined : strings[place.index];
  if (place === null || holder === undefined) return null;
  const offset = offsetIn(outline.text, holder.string, place.count);
  if (offset === null) return null;
  const type = holder.part?.members.get("type");
  const hasTypeFirst = type !== undefined && type.start < holder.string.start;
  const isPart = holder.part !== null;
  const close = isPart ? `"${hasTypeFirst ? "" : ',"type":"text"'}}]` : '"';
  const open = isPart ? `[{${hasTypeFirst ? '"type":"text",' : ""}"text":"` : '"';
  const head = shape.hasRoleFirst ? `{${ROLE},"content":` : '{"content":';
  return [insertion(offset, `${close}${closing(rounds, shape, hasThought)},${head}${open}`)];
}

/** The string in which a place of the text lies, and how many of its characters stand in front; null between two of them. */
function stringAt({ outline, strings }: Echo, at: number): { readonly index: number; readonly count: number } | null {
  if (strings.length === 1) return { index: 0, count: at };
  let from = 0;
  for (const [index, { string }] of strings.entries()) {
    const length = decodeString(outline.text, string).length;
    if (at > from && at < from + length) return { index, count: at - from };
    from += length;
  }
  return null;
}

/** Only what the model made beside the text follows. */
function partedBehind(
  content: Span,
  shape: Shape,
  rounds: readonly PlacedAside[],
  hasThought: boolean,
): readonly Splice[] {
  const head = shape.hasRoleFirst ? `{${ROLE},"content":null` : '{"content":null';
  return [insertion(content.end, `${closing(rounds, shape, hasThought)},${head}`)];
}

/** Nothing of the message follows. */
function atEnd({ outline }: Echo, [first, ...others]: readonly PlacedAside[]): readonly Splice[] | null {
  const { span, members } = outline;
  if (first === undefined || MADE.some((name) => members.has(name))) return null;
  const behind = [...first.results, ...others.map((round) => messagesOf(round, false))].join(",");
  return [insertion(span.end - 1, `,"tool_calls":[${callsOf(first)}]`), insertion(span.end, `,${behind}`)];
}

/** What ends a part of the message: the calls of its round, their results, and the rounds behind it. */
function closing([first, ...others]: readonly PlacedAside[], shape: Shape, hasThought: boolean): string {
  if (first === undefined) return "";
  const role = shape.hasRoleFirst ? "" : `,${ROLE}`;
  const messages = [...first.results, ...others.map((round) => messagesOf(round, shape.hasThinking))];
  return `${role}${hasThought ? thoughtOf(first) : ""},"tool_calls":[${callsOf(first)}]},${messages.join(",")}`;
}

function inFront(rounds: readonly PlacedAside[], { hasThinking }: Shape): Splice {
  return insertion(0, `${rounds.map((round) => messagesOf(round, hasThinking)).join(",")},`);
}

/** A round as messages of its own. */
function messagesOf(round: PlacedAside, hasThought: boolean): string {
  const thought = hasThought ? thoughtOf(round) : "";
  return [`{${ROLE},"content":null${thought},"tool_calls":[${callsOf(round)}]}`, ...round.results].join(",");
}

function callsOf({ calls }: PlacedAside): string {
  return calls.map(({ json }) => thoughtCall(json).call).join(",");
}

function thoughtOf({ calls }: PlacedAside): string {
  const thought = thoughtCall(calls[0]?.json ?? "").thought;
  return thought === "" ? "" : `,${thought}`;
}
