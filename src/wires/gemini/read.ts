import { type JsonBytes, toJsonBytes } from "../../lib/json-scan.ts";
import type { ReadMemo, ReadOutcome, WireRoute } from "../../model/ports.ts";
import { rememberHistory } from "../shared/history.ts";
import { createLookups } from "../shared/lookups.ts";
import type { Original } from "../shared/origin.ts";
import { continuePlacement, type Placement, placeMessage } from "../shared/placement.ts";
import { type Seed, sealSeed } from "../shared/seed.ts";
import { type BodyForm, findTop, isListAt, readFound, type Top } from "../shared/top.ts";
import { namedKind } from "../shared/value.ts";
import { bindCalls } from "./bind.ts";
import { readContent } from "./content.ts";
import { readHeader } from "./header.ts";
import { openCallsAt } from "./open-calls.ts";
import { type ContentOutline, outlineContent } from "./outline.ts";
import type { ContentSeed } from "./seed.ts";
import type { GeminiSource } from "./source.ts";

const FORM: BodyForm<ContentSeed, ContentOutline> = {
  reader: { kind: "gemini-content", outline: outlineContent, isOpening: () => false },
  listName: "contents",
  members: new Set([
    "model",
    "tools",
    "systemInstruction",
    "system_instruction",
    "cachedContent",
    "cached_content",
    "contents",
  ]),
};

/** Reads a request of the Gemini API. Only what `memo` does not know of its conversation is parsed. */
export function readBody(body: Uint8Array, memo: ReadMemo, route: WireRoute | null = null): ReadOutcome {
  const text = toJsonBytes(body);
  const found = findTop(text, memo, FORM);
  if (!found.ok) return found;
  const list = found.top.members.get("contents");
  return isListAt(text, list)
    ? { ok: true, source: readTop(text, found.top, memo, route) }
    : { ok: false, words: `contents: expected an array, got ${namedKind(text, list)}` };
}

function readTop(
  text: JsonBytes,
  { members, twice, list }: Top<ContentSeed, ContentOutline>,
  memo: ReadMemo,
  route: WireRoute | null,
): GeminiSource {
  const { spans, history } = list;
  const { entries: contents, originals } = readFound(list, (outline) => {
    const read = readContent(outline);
    return { entry: read.content, originals: read.originals };
  });
  // Of two lists nobody can tell which one counts.
  const isTwice = twice.has("contents");
  const sealedEnd = isTwice ? contents.length : 0;
  const placement = continuePlacement(
    history?.placement ?? null,
    history?.sealedEnd === sealedEnd ? list.sharedCount : 0,
  );
  placeContents(placement, contents, originals, isTwice);
  rememberHistory(text, memo, list, { spans, entries: contents, placement, sealedEnd });
  const header = readHeader(text, members, memo, route);
  const { messages, items } = placement;
  return {
    wire: "gemini",
    transcript: { header, messages, items, breakpoints: [] },
    sessionId: null,
    canMark: () => false,
    takesDrop: false,
    ...createLookups({ text, placement, spans, originals }),
  };
}

/** Places what is not placed yet. */
function placeContents(
  placement: Placement,
  contents: readonly ContentSeed[],
  originals: Map<Seed, Original>,
  isSealed: boolean,
): void {
  const open = openCallsAt(placement);
  for (const content of contents.slice(placement.entries.length)) {
    const seeds = bindCalls(placement, content, open, originals);
    placeMessage(placement, content.role, isSealed ? seeds.map(sealSeed) : seeds);
  }
}
