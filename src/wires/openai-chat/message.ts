import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import type { Role } from "../../model/item.ts";
import { PROMPT_CACHE_BREAKPOINT } from "../shared/openai-cache.ts";
import type { Original } from "../shared/origin.ts";
import { type Seed, sealSeed } from "../shared/seed.ts";
import { kindOf, nameAt, stringAt } from "../shared/value.ts";
import { CACHE_CONTROL } from "./breakpoints.ts";
import { addCall, addFunctionCall } from "./calls.ts";
import { addContent, addOpaque, addThinking } from "./content.ts";
import { createDraft, type Draft } from "./draft.ts";
import { isMadeId } from "./made-id.ts";
import type { ObjectOutline } from "./object.ts";
import { isInstruction, type Outline } from "./outline.ts";
import { addResult } from "./result.ts";
import { type ChatSeed, type Instruction, MESSAGE_KIND } from "./seed.ts";
import { THINKING_MEMBERS } from "./thinking-members.ts";

/** One message, read. */
export interface ReadMessage {
  readonly message: ChatSeed;
  /** Originals that were made while reading; valid as long as the body is. */
  readonly originals: ReadonlyMap<Seed, Original>;
}

const ROLES: ReadonlyMap<string, Role> = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["tool", "user"],
  ["function", "user"],
]);

/** Reads the items of one message. A message of no known role or shape is one opaque item. */
export function readMessage(outline: Outline): ReadMessage {
  const { text, roleName, hasDuplicates } = outline;
  const draft = createDraft();
  const role = ROLES.get(roleName ?? "") ?? null;
  const isKnown = role !== null && addItems(outline, role, draft);
  if (!isKnown) addOpaque(text, outline.span, "message", 0, draft);
  const { breakpoints, originals } = draft;
  const isSealed = (seed: Seed) => hasDuplicates || (role !== "user" && seed.item.kind === "media");
  const seeds = draft.seeds.map((seed) => (isSealed(seed) ? sealSeed(seed) : seed));
  const hasUnnamed = seeds.some(({ item }) => "callId" in item && isUnnamed(item.callId));
  const message: ChatSeed = {
    kind: MESSAGE_KIND,
    role,
    seeds,
    instruction: isInstruction(outline) ? instructionOf(outline) : null,
    breakpoints,
    isResult: isResult(outline),
    hasUnnamed,
    functionName: hasUnnamed ? nameAt(text, outline.members.get("name")) : null,
  };
  return { message, originals };
}

/** False, and nothing added, where the content has no known shape. */
function addItems(outline: Outline, role: Role, draft: Draft): boolean {
  const { text, members } = outline;
  if (isResult(outline)) {
    addResult(outline, nameAt(text, members.get("tool_call_id")) ?? "", draft);
    return true;
  }
  if (role !== "assistant") return addContent(outline, 0, draft) !== null;
  const blockStart = addReasoning(outline, draft);
  const blockEnd = addContent(outline, blockStart, draft);
  if (blockEnd !== null) addMade(outline, blockEnd, draft);
  else draft.seeds.length = 0;
  return blockEnd !== null;
}

/** Thinking stands first, whatever the order of the members, as the model made it first. */
function addReasoning({ text, members }: Outline, draft: Draft): number {
  let blockIndex = 0;
  for (const name of THINKING_MEMBERS) {
    const span = members.get(name);
    if (span === undefined || isNothing(text, span)) continue;
    addThinking(text, span, blockIndex, draft);
    blockIndex += 1;
  }
  return blockIndex;
}

/** What the model made beside text: a refusal, speech, calls. */
function addMade({ text, members, calls }: Outline, blockStart: number, draft: Draft): void {
  let blockIndex = blockStart;
  for (const name of ["refusal", "audio"]) {
    const span = members.get(name);
    if (span === undefined || isNothing(text, span)) continue;
    addOpaque(text, span, name, blockIndex, draft);
    blockIndex += 1;
  }
  const legacy = members.get("function_call");
  if (legacy !== undefined && !isNothing(text, legacy)) {
    addFunctionCall(text, legacy, blockIndex, draft);
    blockIndex += 1;
  }
  for (const [index, call] of (calls ?? []).entries()) addCall(text, call, blockIndex + index, draft);
}

/** True for null, and for an empty string, list or object: clients write them or leave them out. */
function isNothing(text: JsonBytes, span: Span): boolean {
  const kind = kindOf(text, span);
  return kind === "null" || (kind !== "number" && kind !== "boolean" && span.end - span.start === 2);
}

function isResult({ roleName }: Outline): boolean {
  return roleName === "tool" || roleName === "function";
}

/** A result without an id has an empty one. */
function isUnnamed(callId: string | null): boolean {
  return callId === "" || (callId !== null && isMadeId(callId));
}

function instructionOf({ text, members, parts }: Outline): Instruction {
  const content = members.get("content");
  const only = stringAt(text, content);
  if (only !== null) return { texts: [only], digest: sha256Hex(`[${textForm(only)}]`) };
  if (parts === null && content !== undefined)
    return { texts: [], digest: sha256Hex(canonicalJson(text, content.start, CACHE_CONTROL)) };
  const words = (parts ?? []).map((part) => partText(text, part));
  const texts = words.filter((word) => word !== null);
  const forms = words.map((word, index) => (word === null ? otherForm(text, parts?.[index]) : textForm(word)));
  return { texts, digest: sha256Hex(`[${forms.join(",")}]`) };
}

function textForm(words: string): string {
  return JSON.stringify({ type: "text", text: words });
}

function partText(text: JsonBytes, { members }: ObjectOutline): string | null {
  return stringAt(text, members.get("type")) === "text" ? stringAt(text, members.get("text")) : null;
}

function otherForm(text: JsonBytes, part: ObjectOutline | undefined): string {
  if (part === undefined) return "null";
  if (part.members.size === 0) return canonicalJson(text, part.span.start, CACHE_CONTROL);
  const members = [...part.members]
    .filter(([name]) => name !== PROMPT_CACHE_BREAKPOINT && name !== CACHE_CONTROL)
    .sort();
  return JSON.stringify(members.map(([name, span]) => [name, canonicalJson(text, span.start, CACHE_CONTROL)]));
}
