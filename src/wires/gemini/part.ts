import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { membersOf } from "../../lib/json-spans.ts";
import type { JsonValue } from "../../model/json.ts";
import { addSeed, type SeedDraft } from "../shared/draft.ts";
import { measureText, readOrigin } from "../shared/origin.ts";
import type { Origin } from "../shared/seed.ts";
import { isTrueAt, kindOf, nameAt } from "../shared/value.ts";
import { addInlineData } from "./media.ts";
import { isNamedTwice, memberOf } from "./names.ts";
import { addResponse } from "./response.ts";

/** What is being read out of the parts of one content. */
export interface PartDraft extends SeedDraft {
  /** By seed, as in `ContentSeed`. */
  readonly unbound: (string | null)[];
}

/** A part by its members. */
export interface Part {
  readonly span: Span;
  readonly members: ReadonlyMap<string, Span>;
  /** Nobody can tell which of its members count. */
  readonly hasDuplicates: boolean;
  readonly blockIndex: number;
}

/** Members of which a part has one, and no more. */
const DATA = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
];

/** An empty draft. */
export function createPartDraft(): PartDraft {
  return { seeds: [], originals: new Map(), unbound: [] };
}

/** Adds the items of one part of a content; none for an empty text. */
export function addPart(text: JsonBytes, span: Span, blockIndex: number, draft: PartDraft): void {
  if (kindOf(text, span) !== "object") {
    addOpaque(text, span, kindOf(text, span), blockIndex, draft);
    return;
  }
  const { spans: members, hasDuplicates } = membersOf(text, span.start);
  const names = DATA.filter((name) => memberOf(members, name) !== undefined);
  const part = {
    span,
    members,
    hasDuplicates: hasDuplicates || DATA.some((name) => isNamedTwice(members, name)),
    blockIndex,
  };
  const [name, second] = names;
  const isKnown = second === undefined && name !== undefined && addKnown(text, part, name, draft);
  if (!isKnown) addOpaque(text, span, name ?? "part", blockIndex, draft);
  // Only calls and responses are bound, and each says so itself.
  while (draft.unbound.length < draft.seeds.length) draft.unbound.push(null);
}

/** Adds what has no known type or shape as one item that is never altered. */
export function addOpaque(text: JsonBytes, span: Span, type: string, blockIndex: number, draft: PartDraft): void {
  const origin: Origin = { kind: "canonical", span, omitted: null };
  const original = readOrigin(text, origin);
  const size = measureText(original);
  const item = { kind: "opaque", type, blockIndex, ...size } as const;
  addSeed(draft, text, { item, keyStem: `opaque:${size.digest}`, isNamed: false, origin, slot: null }, original);
  draft.unbound.push(null);
}

/** False, and nothing added, where the part is not of a known shape. */
function addKnown(text: JsonBytes, part: Part, name: string, draft: PartDraft): boolean {
  switch (name) {
    case "text":
      return addText(text, part, draft);
    case "inlineData":
      return addInlineData(text, part, { callId: null, number: 0 }, draft);
    case "functionCall":
      return addCall(text, part, draft);
    case "functionResponse":
      return addResponse(text, part, draft);
    default:
      return false;
  }
}

/** A thought is told by all of its part, its signature included; a text by its words alone. */
function addText(text: JsonBytes, { span, members, blockIndex }: Part, draft: PartDraft): boolean {
  const string = members.get("text");
  if (string === undefined || kindOf(text, string) !== "string") return false;
  const origin: Origin = { kind: "strings", spans: [string] };
  const original = readOrigin(text, origin);
  const isSigned = memberOf(members, "thoughtSignature") !== undefined;
  const isThought = isTrueAt(text, members.get("thought")) || (isSigned && original.bytes.length === 0);
  if (original.bytes.length === 0 && !isThought) return true;
  const size = measureText(original);
  const kind = isThought ? "thinking" : "text";
  const keyStem = isThought ? `thinking:${sha256Hex(canonicalJson(text, span.start, null))}` : `text:${size.digest}`;
  const item = { kind, blockIndex, ...size } as const;
  addSeed(draft, text, { item, keyStem, isNamed: false, origin, slot: null }, original);
  return true;
}

/** A call without an id is told by its function and its arguments, whatever order they are written in. */
function addCall(text: JsonBytes, { members, blockIndex }: Part, draft: PartDraft): boolean {
  const span = memberOf(members, "functionCall");
  if (span === undefined || kindOf(text, span) !== "object") return false;
  const call = membersOf(text, span.start).spans;
  const name = nameAt(text, call.get("name"));
  if (name === null) return false;
  const args = call.get("args");
  const input: JsonValue = args === undefined ? {} : JSON.parse(text.bytes.toString("utf8", args.start, args.end));
  const id = nameAt(text, call.get("id")) || null;
  const callId =
    id ?? `${name}:${sha256Hex(args === undefined ? "{}" : canonicalJson(text, args.start, null)).slice(0, 16)}`;
  const origin: Origin = { kind: "raw", span: args ?? { start: span.start, end: span.start } };
  const original = readOrigin(text, origin);
  const item = { kind: "call", callId, name, input, blockIndex, ...measureText(original) } as const;
  addSeed(draft, text, { item, keyStem: `call:${callId}:${name}`, isNamed: true, origin, slot: null }, original);
  draft.unbound.push(id === null ? name : null);
  return true;
}
