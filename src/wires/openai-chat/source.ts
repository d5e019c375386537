import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import type { WireSource } from "../../model/ports.ts";
import type { Breakpoint, RequestHeader } from "../../model/transcript.ts";
import { createLookups, type Lookups } from "../shared/lookups.ts";
import type { Original } from "../shared/origin.ts";
import type { Placement } from "../shared/placement.ts";
import type { Seed } from "../shared/seed.ts";
import type { ChatSeed } from "./seed.ts";

/** Where the body takes members of its own. */
export interface Fields {
  /** The message list. */
  readonly messages: Span;
  /** Null where none or more than one is stated. */
  readonly tools: Span | null;
  readonly hasTools: boolean;
  /** The brace that closes the body. */
  readonly close: number;
}

/** A body this wire read, with the places of what can be replaced. */
export interface ChatSource extends WireSource {
  readonly wire: "openai-chat";
  readonly text: JsonBytes;
  readonly fields: Fields;
  readonly placeOf: Lookups["placeOf"];
  /** Where each message stands. */
  readonly spans: readonly Span[];
  /** Each message as it was read; none where nobody can tell which list counts. */
  readonly entries: readonly ChatSeed[];
}

interface SourceParts {
  readonly text: JsonBytes;
  readonly header: RequestHeader;
  readonly breakpoints: readonly Breakpoint[];
  readonly sessionId: string | null;
  readonly placement: Placement;
  readonly spans: readonly Span[];
  /** Originals made while reading. */
  readonly originals: ReadonlyMap<Seed, Original>;
  readonly entries: readonly ChatSeed[];
  readonly fields: Fields;
}

/** Looks originals and texts up on demand; decoded texts are kept for as long as the source lives. */
export function createSource(parts: SourceParts): ChatSource {
  const { text, header, breakpoints, sessionId, placement, spans, originals, entries, fields } = parts;
  const { messages, items } = placement;
  const { originalOf, textOf, placeOf } = createLookups({ text, placement, spans, originals });
  return {
    wire: "openai-chat",
    transcript: { header, messages, items, breakpoints },
    sessionId,
    originalOf,
    textOf,
    // The format has breakpoints, but what may carry one differs from server to server.
    canMark: () => false,
    takesDrop: false,
    text,
    fields,
    placeOf,
    spans,
    entries,
  };
}

/** Narrows a source to one this wire made. */
export function isChatSource(source: WireSource): source is ChatSource {
  return "wire" in source && source.wire === "openai-chat";
}
