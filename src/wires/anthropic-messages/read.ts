import { assert } from "../../lib/assert.ts";
import { failureAt, type JsonBytes, type Span, skipSpace, skipValue, toJsonBytes } from "../../lib/json-scan.ts";
import { visitMembers } from "../../lib/json-spans.ts";
import type { ReadMemo, ReadOutcome } from "../../model/ports.ts";
import { longerTtl } from "./cache-control.ts";
import { readHeader } from "./header.ts";
import { type PlacedMessage, rememberLayout, visitMessages } from "./layout.ts";
import { readMessage } from "./message.ts";
import type { Original } from "./origin.ts";
import { createPlacement, placeMessage } from "./placement.ts";
import { type MessageSeed, type Seed, sealSeed } from "./seed.ts";
import { sessionOf } from "./session.ts";
import { createSource } from "./source.ts";
import { namedKind } from "./value.ts";

/** The members of a body, and its messages. */
interface Top {
  readonly members: Map<string, Span>;
  messages: PlacedMessage[];
  hasTwoMessageLists: boolean;
}

interface ReadMessages {
  readonly seeds: readonly MessageSeed[];
  readonly originals: ReadonlyMap<Seed, Original>;
}

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
  "cache_control",
  "messages",
]);

/** Reads a Messages request. Only messages, tools and system prompts that `memo` does not know are parsed. */
export function readBody(body: Uint8Array, memo: ReadMemo): ReadOutcome {
  const text = toJsonBytes(body);
  const start = skipSpace(text, 0);
  if (text.bytes[start] !== OPEN_BRACE) return { ok: false, words: notObject(text, start) };
  const top: Top = { members: new Map(), messages: [], hasTwoMessageLists: false };
  const end = visitMembers(text, start, (key, valueStart) => visitMember(text, key, valueStart, memo, top));
  if (end < 0) return { ok: false, words: failureAt(text, ~end).words };
  const rest = skipSpace(text, end);
  if (rest < text.bytes.length) return { ok: false, words: failureAt(text, rest).words };
  return readTop(text, top, memo);
}

function visitMember(text: JsonBytes, key: string, start: number, memo: ReadMemo, top: Top): number {
  if (key === "messages") {
    top.hasTwoMessageLists ||= top.members.has(key);
    top.messages = [];
  }
  const isList = key === "messages" && text.bytes[start] === OPEN_BRACKET;
  const end = isList ? visitMessages(text, start, memo, top.messages) : skipValue(text, start);
  if (READ_MEMBERS.has(key)) top.members.set(key, { start, end });
  return end;
}

function readTop(text: JsonBytes, top: Top, memo: ReadMemo): ReadOutcome {
  const list = top.members.get("messages");
  if (list === undefined || text.bytes[list.start] !== OPEN_BRACKET) {
    return { ok: false, words: `messages: expected an array, got ${namedKind(text, list)}` };
  }
  const read = readMessages(top.messages, memo);
  const placement = createPlacement();
  // A message of unknown role may be the model's, and sign what stands before it.
  const sealedEnd = top.hasTwoMessageLists ? read.seeds.length : read.seeds.findLastIndex(({ role }) => role === null);
  let cacheTtlMs: number | null = null;
  for (const [index, { seeds, role, cacheTtlMs: ttlMs }] of read.seeds.entries()) {
    const messageStart = top.messages[index]?.span.start ?? 0;
    placeMessage(placement, role ?? "system", index < sealedEnd ? seeds.map(sealSeed) : seeds, messageStart);
    cacheTtlMs = longerTtl(cacheTtlMs, ttlMs);
  }
  const header = readHeader(text, top.members, cacheTtlMs, memo);
  const sessionId = sessionOf(text, top.members.get("metadata"));
  return { ok: true, source: createSource({ text, header, sessionId, placement, originals: read.originals }) };
}

function readMessages(messages: readonly PlacedMessage[], memo: ReadMemo): ReadMessages {
  const seeds: MessageSeed[] = [];
  const originals = new Map<Seed, Original>();
  for (const { digest, known, outline } of messages) {
    if (known !== null) {
      seeds.push(known);
      continue;
    }
    assert(outline !== null, "a message that is not known was looked into");
    const read = readMessage(outline);
    memo.set(digest, read.message);
    seeds.push(read.message);
    for (const [seed, original] of read.originals) originals.set(seed, original);
  }
  rememberLayout(memo, messages);
  return { seeds, originals };
}

function notObject(text: JsonBytes, start: number): string {
  const end = skipValue(text, start);
  if (end < 0) return failureAt(text, ~end).words;
  const rest = skipSpace(text, end);
  if (rest < text.bytes.length) return failureAt(text, rest).words;
  return `body: expected an object, got ${namedKind(text, { start, end })}`;
}
