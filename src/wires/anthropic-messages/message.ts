import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import type { Role } from "../../model/item.ts";
import type { Original } from "../shared/origin.ts";
import { type Seed, sealSeed } from "../shared/seed.ts";
import { addText } from "../shared/text.ts";
import { kindOf, stringAt } from "../shared/value.ts";
import { CACHE_CONTROL, TTL_LONGEST_MS } from "./cache-control.ts";
import { addBlock, addOpaque } from "./content.ts";
import { createDraft, type Draft } from "./draft.ts";
import { layoutOf } from "./layout.ts";
import type { Outline } from "./outline.ts";
import type { MessageSeed } from "./seed.ts";

/** One message, read. */
export interface ReadMessage {
  readonly message: MessageSeed;
  /** Originals that were made while reading; valid as long as the body is. */
  readonly originals: ReadonlyMap<Seed, Original>;
}

/** Reads the items of one message. A message of no known role or shape is one opaque item. */
export function readMessage(outline: Outline): ReadMessage {
  const { text, role: roleSpan } = outline;
  const name = stringAt(text, roleSpan);
  const role = isRole(name) ? name : null;
  const draft = createDraft();
  const isKnown = role !== null && addContent(outline, draft);
  if (!isKnown) addWhole(text, outline.span, draft);
  const layout = isKnown ? layoutOf(text, outline, draft.blocks) : null;
  const { breakpoints, carrierCount, originals } = draft;
  const isSealed = (seed: Seed) => outline.hasDuplicates || (role !== "user" && seed.item.kind === "media");
  const seeds = draft.seeds.map((seed) => (isSealed(seed) ? sealSeed(seed) : seed));
  return { message: { kind: "anthropic-message", role, seeds, breakpoints, carrierCount, layout }, originals };
}

/** False, and nothing added, where the content is neither text nor a list. */
function addContent({ text, content, blocks }: Outline, draft: Draft): boolean {
  if (blocks !== null) {
    for (const [index, block] of blocks.entries()) addBlock(text, block, index, draft);
    return true;
  }
  if (content === undefined || kindOf(text, content) !== "string") return false;
  addText(text, content, 0, draft);
  draft.carrierCount = draft.seeds.length;
  return true;
}

/** A breakpoint somewhere in it counts as the longest one, so that the cache is never thought colder than it is. */
function addWhole(text: JsonBytes, span: Span, draft: Draft): void {
  addOpaque(text, { span, type: "message" }, 0, draft);
  draft.carrierCount = 1;
  const hasBreakpoint = text.bytes.subarray(span.start, span.end).includes(CACHE_CONTROL);
  if (hasBreakpoint) draft.breakpoints.push({ itemCount: 1, ttlMs: TTL_LONGEST_MS });
}

function isRole(name: string | null): name is Role {
  return name === "user" || name === "assistant" || name === "system";
}
