import { failureAt, type JsonBytes, type Span, skipSpace, skipValue, toJsonBytes } from "../../lib/json-scan.ts";
import { visitMembers } from "../../lib/json-spans.ts";
import type { ReadMemo, ReadOutcome } from "../../model/ports.ts";
import {
  createEntryList,
  type EntryList,
  type EntryReader,
  isKnown,
  rememberHistory,
  visitEntries,
} from "../shared/history.ts";
import type { Original } from "../shared/origin.ts";
import { continuePlacement, type Placement, placeMessage } from "../shared/placement.ts";
import { type Seed, sealSeed } from "../shared/seed.ts";
import { namedKind } from "../shared/value.ts";
import { placeBreakpoints } from "./breakpoints.ts";
import { CACHE_CONTROL, ttlOf } from "./cache-control.ts";
import { readHeader } from "./header.ts";
import { readMessage } from "./message.ts";
import { type Outline, outlineMessage } from "./outline.ts";
import type { MessageSeed } from "./seed.ts";
import { sessionOf } from "./session.ts";
import { createSource, type Fields } from "./source.ts";

/** The members of a body, and its messages. */
interface Top {
  readonly members: Map<string, Span>;
  /** Members that came twice. */
  readonly twice: Set<string>;
  list: EntryList<MessageSeed, Outline>;
}

interface ReadMessages {
  readonly messages: readonly MessageSeed[];
  readonly originals: ReadonlyMap<Seed, Original>;
}

const MESSAGES: EntryReader<MessageSeed, Outline> = {
  kind: "anthropic-message",
  outline: outlineMessage,
  isOpening: () => false,
};
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
/** Members the wire looks at; all others only have to be valid. */
const READ_MEMBERS = new Set([
  "model",
  "stream",
  "tools",
  "system",
  "metadata",
  "thinking",
  "tool_choice",
  "output_config",
  "cache_control",
  "context_management",
  "messages",
]);

/** Reads a Messages request. Only what `memo` does not know of its conversation, tools and system prompt is parsed. */
export function readBody(body: Uint8Array, memo: ReadMemo): ReadOutcome {
  const text = toJsonBytes(body);
  const start = skipSpace(text, 0);
  if (text.bytes[start] !== OPEN_BRACE) return { ok: false, words: notObject(text, start) };
  const top: Top = { members: new Map(), twice: new Set(), list: createEntryList(MESSAGES) };
  const end = visitMembers(text, start, (key, valueStart) => visitMember(text, key, valueStart, memo, top));
  if (end < 0) return { ok: false, words: failureAt(text, ~end).words };
  const rest = skipSpace(text, end);
  if (rest < text.bytes.length) return { ok: false, words: failureAt(text, rest).words };
  return readTop(text, top, end - 1, memo);
}

function visitMember(text: JsonBytes, key: string, start: number, memo: ReadMemo, top: Top): number {
  if (key === "messages") top.list = createEntryList(MESSAGES);
  const isList = key === "messages" && text.bytes[start] === OPEN_BRACKET;
  const end = isList ? visitEntries(text, start, memo, top.list) : skipValue(text, start);
  if (top.members.has(key)) top.twice.add(key);
  if (READ_MEMBERS.has(key)) top.members.set(key, { start, end });
  return end;
}

function readTop(text: JsonBytes, top: Top, close: number, memo: ReadMemo): ReadOutcome {
  const list = top.members.get("messages");
  if (list === undefined || text.bytes[list.start] !== OPEN_BRACKET) {
    return { ok: false, words: `messages: expected an array, got ${namedKind(text, list)}` };
  }
  const { spans, history } = top.list;
  const { messages, originals } = readMessages(top.list);
  // A message of unknown role may be the model's, and sign what stands before it.
  const hasTwoLists = top.twice.has("messages");
  const sealedEnd = hasTwoLists ? messages.length : messages.findLastIndex(({ role }) => role === null);
  const sharedCount = history?.sealedEnd === sealedEnd ? top.list.sharedCount : 0;
  const placement = continuePlacement(history?.placement ?? null, sharedCount);
  placeMessages(placement, messages, sealedEnd);
  rememberHistory(text, memo, top.list, { spans, entries: messages, placement, sealedEnd });
  const automaticTtlMs = ttlOf(text, top.members.get(CACHE_CONTROL));
  const breakpoints = placeBreakpoints(messages, placement.messages, automaticTtlMs);
  const header = readHeader(text, top.members, breakpoints, memo);
  const sessionId = sessionOf(text, top.members.get("metadata"));
  return {
    ok: true,
    source: createSource({
      text,
      header,
      breakpoints,
      sessionId,
      placement,
      spans,
      originals,
      layouts: hasTwoLists ? [] : messages.map(({ layout }) => layout),
      fields: fieldsOf(top, list, close),
    }),
  };
}

function fieldsOf({ members, twice }: Top, messages: Span, close: number): Fields {
  const onceOf = (name: string) => (twice.has(name) ? null : (members.get(name) ?? null));
  return {
    messages,
    tools: onceOf("tools"),
    close,
    thinking: onceOf("thinking"),
    hasContextManagement: members.has("context_management"),
  };
}

function readMessages({ found }: EntryList<MessageSeed, Outline>): ReadMessages {
  const originals = new Map<Seed, Original>();
  const messages = found.map((one) => {
    if (isKnown(one)) return one;
    const read = readMessage(one);
    for (const [seed, original] of read.originals) originals.set(seed, original);
    return read.message;
  });
  return { messages, originals };
}

/** Places what is not placed yet; messages before `sealedEnd` may only take forms that were sent before. */
function placeMessages(placement: Placement, messages: readonly MessageSeed[], sealedEnd: number): void {
  for (const { role, seeds } of messages.slice(placement.messages.length)) {
    const isSealed = placement.messages.length < sealedEnd;
    placeMessage(placement, role ?? "system", isSealed ? seeds.map(sealSeed) : seeds);
  }
}

function notObject(text: JsonBytes, start: number): string {
  const end = skipValue(text, start);
  if (end < 0) return failureAt(text, ~end).words;
  const rest = skipSpace(text, end);
  if (rest < text.bytes.length) return failureAt(text, rest).words;
  return `body: expected an object, got ${namedKind(text, { start, end })}`;
}
