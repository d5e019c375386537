import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { addSeed } from "../shared/draft.ts";
import { BREAKPOINT_TTL_MS, isBreakpointAt, PROMPT_CACHE_BREAKPOINT } from "../shared/openai-cache.ts";
import { measureText, readOrigin } from "../shared/origin.ts";
import { onlyText, slotOfTexts, type TextPart, textPart } from "../shared/result-texts.ts";
import type { Origin } from "../shared/seed.ts";
import { kindOf } from "../shared/value.ts";
import { callIdOf } from "./call.ts";
import { createDraft, type Draft } from "./draft.ts";
import { addMedia } from "./media.ts";
import type { Outline, Part } from "./outline.ts";
import { TEXT_TYPES } from "./text.ts";

/** A result's output, sorted into what can be replaced and what stays. */
interface Output {
  readonly texts: TextPart[];
  /** The result's own media, to be added after it. */
  readonly media: Draft;
  /** Nothing in it forbids replacing the text. */
  isPlain: boolean;
}

/** Types whose output is the client's text to the model; others state it in a shape of their own and are only read. */
const PLAIN_RESULTS: ReadonlySet<string | null> = new Set([
  "function_call_output",
  "custom_tool_call_output",
  "local_shell_call_output",
]);
const OTHER_RESULTS: ReadonlySet<string | null> = new Set(["shell_call_output", "apply_patch_call_output"]);

/** Adds a tool result and, after it, the media it holds; false, and nothing added, where the entry is none or names no call. */
export function addResult(outline: Outline, draft: Draft): boolean {
  const { text, members, type } = outline;
  const isOfPlainType = PLAIN_RESULTS.has(type);
  if (!isOfPlainType && !OTHER_RESULTS.has(type)) return false;
  const callId = callIdOf(outline);
  if (callId === null) return false;
  const output = readOutput(outline, callId);
  const origin = originOf(output, members.get("output"));
  const original = readOrigin(text, origin);
  const size = measureText(original);
  const isReplaceable = isOfPlainType && output.isPlain && original.isExact && output.texts.length > 0;
  const item = {
    kind: "result",
    callId,
    isError: false,
    mediaCount: output.media.seeds.length,
    isReplaceable,
    blockIndex: 0,
    ...size,
  } as const;
  const slot = isOfPlainType ? slotOfTexts(output.texts) : null;
  addSeed(draft, text, { item, keyStem: `result:${callId}:${size.digest}`, isNamed: true, origin, slot }, original);
  for (const seed of output.media.seeds) draft.seeds.push(seed);
  for (const [seed, made] of output.media.originals) draft.originals.set(seed, made);
  if (hasBreakpoint(outline)) draft.breakpoints.push({ itemCount: draft.seeds.length, ttlMs: BREAKPOINT_TTL_MS });
  return true;
}

/** An output with nothing known in it is told by its JSON. */
function originOf({ texts, media, isPlain }: Output, span: Span | undefined): Origin {
  const hasNothing = texts.length === 0 && media.seeds.length === 0;
  if (hasNothing && !isPlain && span !== undefined)
    return { kind: "canonical", span, omitted: PROMPT_CACHE_BREAKPOINT };
  return { kind: "strings", spans: texts.map(({ string }) => string) };
}

function hasBreakpoint({ text, lists }: Outline): boolean {
  return (lists.get("output") ?? []).some(({ members }) => isBreakpointAt(text, members.get(PROMPT_CACHE_BREAKPOINT)));
}

function readOutput(outline: Outline, callId: string): Output {
  const { text, members, lists } = outline;
  const output: Output = { texts: [], media: createDraft(), isPlain: true };
  const parts = lists.get("output");
  const span = members.get("output");
  if (parts !== undefined) readList(text, parts, callId, output);
  else if (span !== undefined && kindOf(text, span) === "string") output.texts.push(onlyText(span));
  else output.isPlain = span === undefined || kindOf(text, span) === "null";
  return output;
}

function readList(text: JsonBytes, parts: readonly Part[], callId: string, output: Output): void {
  for (const [index, part] of parts.entries()) {
    const place = { blockIndex: 0, callId, number: output.media.seeds.length + 1 };
    const isKnown = addString(text, parts, index, output) || addMedia(text, part, place, output.media);
    if (!isKnown || part.hasDuplicates) output.isPlain = false;
  }
}

/** Takes a text part in; false where it is none. */
function addString(text: JsonBytes, parts: readonly Part[], index: number, output: Output): boolean {
  const part = parts[index];
  const string = part?.members.get("text");
  if (part === undefined || !TEXT_TYPES.has(part.type ?? "")) return false;
  if (string === undefined || kindOf(text, string) !== "string") return false;
  const hasMark = isBreakpointAt(text, part.members.get(PROMPT_CACHE_BREAKPOINT));
  output.texts.push(textPart(parts, index, { string, hasBreakpoint: hasMark }));
  return true;
}
