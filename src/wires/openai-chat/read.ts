import { type JsonBytes, type Span, toJsonBytes } from "../../lib/json-scan.ts";
import type { ReadMemo, ReadOutcome } from "../../model/ports.ts";
import type { Breakpoint, RequestHeader } from "../../model/transcript.ts";
import { rememberHistory } from "../shared/history.ts";
import { BREAKPOINT_TTL_MS, promptCachingOf } from "../shared/openai-cache.ts";
import { continuePlacement, type Placement, placeMessage } from "../shared/placement.ts";
import { sealSeed } from "../shared/seed.ts";
import { type BodyForm, findTop, isListAt, readFound, type Top } from "../shared/top.ts";
import { namedKind } from "../shared/value.ts";
import { breakpointPlaces } from "./breakpoints.ts";
import { readHeader } from "./header.ts";
import { readMessage } from "./message.ts";
import { isInstruction, type Outline, outlineMessage } from "./outline.ts";
import { namedSeeds, pairingAt } from "./pairing.ts";
import { type ChatSeed, MESSAGE_KIND } from "./seed.ts";
import { sessionOf } from "./session.ts";
import { createSource } from "./source.ts";

const FORM: BodyForm<ChatSeed, Outline> = {
  reader: { kind: MESSAGE_KIND, outline: outlineMessage, isOpening: isInstruction },
  listName: "messages",
  members: new Set([
    "model",
    "stream",
    "stream_options",
    "tools",
    "functions",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "session_id",
    "messages",
  ]),
};

/** Reads a Chat Completions request. Only what `memo` does not know of its conversation and tools is parsed. */
export function readBody(body: Uint8Array, memo: ReadMemo): ReadOutcome {
  const text = toJsonBytes(body);
  const found = findTop(text, memo, FORM);
  return found.ok ? readTop(text, found.top, memo) : found;
}

function readTop(text: JsonBytes, top: Top<ChatSeed, Outline>, memo: ReadMemo): ReadOutcome {
  const { members, twice, close } = top;
  const list = members.get("messages");
  if (!isListAt(text, list)) return { ok: false, words: `messages: expected an array, got ${namedKind(text, list)}` };
  const { spans, history } = top.list;
  const { entries: messages, originals } = readFound(top.list, (outline) => {
    const read = readMessage(outline);
    return { entry: read.message, originals: read.originals };
  });
  const hasTwoLists = twice.has("messages");
  const headCount = headCountOf(messages);
  // A message of unknown role may be the model's, and answer what stands before it.
  const sealedEnd = hasTwoLists ? messages.length : messages.findLastIndex(({ role }) => role === null);
  const sharedCount = history?.sealedEnd === sealedEnd ? top.list.sharedCount : 0;
  const placement = continuePlacement(history?.placement ?? null, sharedCount);
  placeMessages(placement, messages, { headCount, sealedEnd });
  rememberHistory(text, memo, top.list, { spans, entries: messages, placement, sealedEnd });
  const head = messages.slice(0, headCount);
  const headBytes = spans.slice(0, headCount).reduce((sum, { start, end }) => sum + end - start, 0);
  const base = readHeader({ text, top: members, head, headBytes, memo });
  const { header, breakpoints } = withBreakpoints(text, members, { base, messages, headCount, placement });
  const onceOf = (name: string) => (twice.has(name) ? null : (members.get(name) ?? null));
  const source = createSource({
    text,
    header,
    breakpoints,
    sessionId: sessionOf(text, members),
    placement,
    spans,
    originals,
    entries: hasTwoLists ? [] : messages,
    fields: { messages: list, tools: onceOf("tools"), hasTools: members.has("tools"), close },
  });
  return { ok: true, source };
}

interface BreakpointGround {
  readonly base: Omit<RequestHeader, "cacheTtlMs" | "headBreakpoints">;
  readonly messages: readonly ChatSeed[];
  readonly headCount: number;
  readonly placement: Placement;
}

function withBreakpoints(
  text: JsonBytes,
  members: ReadonlyMap<string, Span>,
  { base, messages, headCount, placement }: BreakpointGround,
): { readonly header: RequestHeader; readonly breakpoints: readonly Breakpoint[] } {
  const { marksEnd, longestTtlMs } = promptCachingOf(text, members);
  const ground = { headCount, itemCount: placement.items.length, marksEnd };
  const places = breakpointPlaces(messages, placement.messages, ground);
  const headBreakpoints = messages.slice(0, headCount).reduce((sum, one) => sum + one.breakpoints.length, 0);
  const cacheTtlMs = places.length + headBreakpoints === 0 ? null : longestTtlMs;
  return {
    header: { ...base, cacheTtlMs, headBreakpoints },
    breakpoints: places.map((itemCount) => ({ itemCount, ttlMs: BREAKPOINT_TTL_MS })),
  };
}

/** System and developer messages in front of all others. */
function headCountOf(messages: readonly ChatSeed[]): number {
  const first = messages.findIndex(({ instruction }) => instruction === null);
  return first === -1 ? messages.length : first;
}

/**
 * Places what is not placed yet. Messages of the head have no items; those before `sealedEnd` may only take forms that were sent
 * before.
 */
function placeMessages(
  placement: Placement,
  messages: readonly ChatSeed[],
  { headCount, sealedEnd }: { readonly headCount: number; readonly sealedEnd: number },
): void {
  const pairing = pairingAt(placement);
  for (const message of messages.slice(placement.messages.length)) {
    const index = placement.messages.length;
    const seeds = index < headCount ? [] : namedSeeds(message, placement, pairing);
    placeMessage(placement, message.role ?? "system", index < sealedEnd ? seeds.map(sealSeed) : seeds);
  }
}
