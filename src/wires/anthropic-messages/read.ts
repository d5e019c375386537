import { type JsonBytes, type Span, toJsonBytes } from "../../lib/json-scan.ts";
import type { ReadMemo, ReadOutcome } from "../../model/ports.ts";
import { rememberHistory } from "../shared/history.ts";
import { continuePlacement, type Placement, placeMessage } from "../shared/placement.ts";
import { sealSeed } from "../shared/seed.ts";
import { type BodyForm, findTop, isListAt, readFound, type Top } from "../shared/top.ts";
import { namedKind } from "../shared/value.ts";
import { placeBreakpoints } from "./breakpoints.ts";
import { CACHE_CONTROL, ttlOf } from "./cache-control.ts";
import { readHeader } from "./header.ts";
import { readMessage } from "./message.ts";
import { type Outline, outlineMessage } from "./outline.ts";
import type { MessageSeed } from "./seed.ts";
import { sessionOf } from "./session.ts";
import { createSource, type Fields } from "./source.ts";

const FORM: BodyForm<MessageSeed, Outline> = {
  reader: { kind: "anthropic-message", outline: outlineMessage, isOpening: () => false },
  listName: "messages",
  members: new Set([
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
  ]),
};

/** Reads a Messages request. Only what `memo` does not know of its conversation, tools and system prompt is parsed. */
export function readBody(body: Uint8Array, memo: ReadMemo): ReadOutcome {
  const text = toJsonBytes(body);
  const found = findTop(text, memo, FORM);
  return found.ok ? readTop(text, found.top, memo) : found;
}

function readTop(text: JsonBytes, top: Top<MessageSeed, Outline>, memo: ReadMemo): ReadOutcome {
  const list = top.members.get("messages");
  if (!isListAt(text, list)) return { ok: false, words: `messages: expected an array, got ${namedKind(text, list)}` };
  const { spans, history } = top.list;
  const { entries: messages, originals } = readFound(top.list, (outline) => {
    const read = readMessage(outline);
    return { entry: read.message, originals: read.originals };
  });
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
      fields: fieldsOf(top, list),
    }),
  };
}

function fieldsOf({ members, twice, close }: Top<MessageSeed, Outline>, messages: Span): Fields {
  const onceOf = (name: string) => (twice.has(name) ? null : (members.get(name) ?? null));
  return {
    messages,
    tools: onceOf("tools"),
    close,
    thinking: onceOf("thinking"),
    hasContextManagement: members.has("context_management"),
  };
}

/** Places what is not placed yet; messages before `sealedEnd` may only take forms that were sent before. */
function placeMessages(placement: Placement, messages: readonly MessageSeed[], sealedEnd: number): void {
  for (const { role, seeds } of messages.slice(placement.messages.length)) {
    const isSealed = placement.messages.length < sealedEnd;
    placeMessage(placement, role ?? "system", isSealed ? seeds.map(sealSeed) : seeds);
  }
}
