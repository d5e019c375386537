import { type JsonBytes, type Span, scanJson, toJsonBytes } from "../../lib/json-scan.ts";
import { decodeString } from "../../lib/json-spans.ts";
import type { JsonValue } from "../../model/json.ts";
import { addSeed } from "../shared/draft.ts";
import { measureText, readOrigin } from "../shared/origin.ts";
import type { Origin } from "../shared/seed.ts";
import { kindOf, nameAt, stringAt } from "../shared/value.ts";
import { addOpaque } from "./content.ts";
import type { Draft } from "./draft.ts";
import { madeStem } from "./made-id.ts";
import { membersAt, type ObjectOutline } from "./object.ts";

/** What a call states beside its id. */
interface CallParts {
  readonly name: string;
  /** The arguments, or the input of a custom tool. */
  readonly input: Span;
  /** The input is a text of its own form, not JSON in a string. */
  readonly isCustom: boolean;
}

/** Adds one call of `tool_calls`; what has no known shape is opaque. */
export function addCall(text: JsonBytes, call: ObjectOutline, blockIndex: number, draft: Draft): void {
  const parts =
    partsOf(text, call.members.get("function"), "arguments", false) ??
    partsOf(text, call.members.get("custom"), "input", true);
  const type = stringAt(text, call.members.get("type"));
  if (parts === null || call.hasDuplicates) addOpaque(text, call.span, type, blockIndex, draft);
  else addCallSeed(text, nameAt(text, call.members.get("id")) || null, parts, blockIndex, draft);
}

/** Adds the call of a legacy `function_call`, which has no id; nothing is added where it has no known shape. */
export function addFunctionCall(text: JsonBytes, span: Span, blockIndex: number, draft: Draft): void {
  const parts = partsOf(text, span, "arguments", false);
  if (parts === null) addOpaque(text, span, "function_call", blockIndex, draft);
  else addCallSeed(text, null, parts, blockIndex, draft);
}

function partsOf(text: JsonBytes, span: Span | undefined, inputName: string, isCustom: boolean): CallParts | null {
  const members = membersAt(text, span);
  const name = nameAt(text, members.get("name"));
  const input = members.get(inputName);
  return name === null || input === undefined ? null : { name, input, isCustom };
}

function addCallSeed(text: JsonBytes, id: string | null, parts: CallParts, blockIndex: number, draft: Draft): void {
  const { name, input: span, isCustom } = parts;
  const isString = kindOf(text, span) === "string";
  const origin: Origin = isString ? { kind: "strings", spans: [span] } : { kind: "raw", span };
  const original = readOrigin(text, origin);
  const callId = id ?? madeStem(name, original.bytes);
  const input = isCustom && isString ? decodeString(text, span) : inputAt(text, span);
  const item = { kind: "call", callId, name, input, blockIndex, ...measureText(original) } as const;
  addSeed(draft, text, { item, keyStem: `call:${callId}:${name}`, isNamed: true, origin, slot: null }, original);
}

/** Arguments that are no JSON are their own text. Some servers write them as a value instead of a string. */
function inputAt(text: JsonBytes, span: Span): JsonValue {
  const words = stringAt(text, span);
  if (words === null) return JSON.parse(text.bytes.toString("utf8", span.start, span.end)) as JsonValue;
  return scanJson(toJsonBytes(Buffer.from(words))).ok ? (JSON.parse(words) as JsonValue) : words;
}
