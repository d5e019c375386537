import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { Role } from "../../model/item.ts";
import { BREAKPOINT_TTL_MS, isBreakpointAt, PROMPT_CACHE_BREAKPOINT } from "../shared/openai-cache.ts";
import type { Original } from "../shared/origin.ts";
import { type Seed, sealSeed } from "../shared/seed.ts";
import { addText } from "../shared/text.ts";
import { kindOf, stringAt } from "../shared/value.ts";
import { addCall } from "./call.ts";
import { createDraft, type Draft } from "./draft.ts";
import { addMedia } from "./media.ts";
import { addOpaque } from "./opaque.ts";
import type { Outline, Part } from "./outline.ts";
import { addReasoning } from "./reasoning.ts";
import { addResult } from "./result.ts";
import type { Opening, ResponsesSeed } from "./seed.ts";
import { TEXT_TYPES } from "./text.ts";

/** One entry, read. */
export interface ReadEntry {
  readonly entry: ResponsesSeed;
  /** Originals that were made while reading; valid as long as the body is. */
  readonly originals: ReadonlyMap<Seed, Original>;
}

/** What the model, or the provider for it, puts among its own items beside calls, whose types end alike. */
const MODEL_TYPES: ReadonlySet<string> = new Set([
  "reasoning",
  "compaction",
  "compaction_summary",
  "item_reference",
  "mcp_list_tools",
  "mcp_approval_request",
]);

/** Reads the items of one entry. An entry of no known type or shape is one opaque item. */
export function readEntry(outline: Outline): ReadEntry {
  const draft = createDraft();
  const isKnown =
    addMessage(outline, draft) || addReasoning(outline, draft) || addCall(outline, draft) || addResult(outline, draft);
  if (!isKnown) addOpaque(outline.text, outline, 0, draft);
  const speaker = speakerOf(outline);
  const isSealed = (seed: Seed) => outline.hasDuplicates || (speaker !== "user" && seed.item.kind === "media");
  const seeds = draft.seeds.map((seed) => (isSealed(seed) ? sealSeed(seed) : seed));
  const opening = isOpening(outline) ? openingOf(outline) : null;
  const { breakpoints, originals } = draft;
  return { entry: { kind: "openai-responses-entry", speaker, opening, seeds, breakpoints }, originals };
}

/** True for what a system or developer says. */
export function isOpening({ type, role }: Outline): boolean {
  return type === "message" && (role === "system" || role === "developer");
}

function speakerOf({ type, role }: Outline): Role {
  if (type === "message") return role === "user" || role === "assistant" ? role : "system";
  if (type === null) return "system";
  if (MODEL_TYPES.has(type) || type.endsWith("_call")) return "assistant";
  return type.endsWith("_output") || type.endsWith("_response") ? "user" : "system";
}

/** False, and nothing added, for anything but a message of a known role with text or a list in it. */
function addMessage(outline: Outline, draft: Draft): boolean {
  const { text, type, role, members, lists } = outline;
  const isRole = role === "user" || role === "assistant" || role === "system" || role === "developer";
  if (type !== "message" || !isRole) return false;
  const parts = lists.get("content");
  const content = members.get("content");
  if (parts !== undefined) {
    for (const [index, part] of parts.entries()) addPart(outline, part, index, draft);
    return true;
  }
  if (content === undefined || kindOf(text, content) !== "string") return false;
  addText(text, content, 0, draft);
  return true;
}

function addPart({ text }: Outline, part: Part, blockIndex: number, draft: Draft): void {
  const string = part.members.get("text");
  const isText = TEXT_TYPES.has(part.type ?? "") && string !== undefined && kindOf(text, string) === "string";
  if (isText) addText(text, string, blockIndex, draft);
  else if (!addMedia(text, part, { blockIndex, callId: null, number: 0 }, draft))
    addOpaque(text, part, blockIndex, draft);
  if (!isBreakpointAt(text, part.members.get(PROMPT_CACHE_BREAKPOINT))) return;
  draft.breakpoints.push({ itemCount: draft.seeds.length, ttlMs: BREAKPOINT_TTL_MS });
}

/** A text as a string is the same as in one part. */
function openingOf({ text, role, members, lists }: Outline): Opening {
  const content = members.get("content");
  const only = stringAt(text, content);
  const parts = lists.get("content") ?? [];
  const told = parts.map((part) => {
    const words = TEXT_TYPES.has(part.type ?? "") ? stringAt(text, part.members.get("text")) : null;
    return { words, form: words ?? [canonicalJson(text, part.span.start, PROMPT_CACHE_BREAKPOINT)] };
  });
  const texts = only === null ? told.flatMap(({ words }) => words ?? []) : [only];
  const forms = only === null ? told.map(({ form }) => form) : [only];
  return { texts, digest: sha256Hex(JSON.stringify([role, forms])) };
}
