import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import type { JsonValue } from "../../model/json.ts";
import { addSeed } from "../shared/draft.ts";
import { measureText, readOrigin } from "../shared/origin.ts";
import type { Origin } from "../shared/seed.ts";
import { kindOf, nameAt } from "../shared/value.ts";
import { parseValue } from "../shared/watch.ts";
import type { Draft } from "./draft.ts";
import type { Outline } from "./outline.ts";

/** How an entry states a call. */
interface CallShape {
  /** Member with the input. */
  readonly input: string;
  /** Name of a tool that the entry does not name. */
  readonly name: string | null;
  /** The input is a text by itself, whatever it looks like. */
  readonly isText: boolean;
}

const CALLS: ReadonlyMap<string | null, CallShape> = new Map([
  ["function_call", { input: "arguments", name: null, isText: false }],
  ["custom_tool_call", { input: "input", name: null, isText: true }],
  ["local_shell_call", { input: "action", name: "local_shell", isText: false }],
  ["shell_call", { input: "action", name: "shell", isText: false }],
  ["apply_patch_call", { input: "operation", name: "apply_patch", isText: false }],
]);

/** Types of calls, with the name of a tool that they do not name. */
export const BUILT_IN_NAMES: ReadonlyMap<string | null, string | null> = new Map(
  Array.from(CALLS, ([type, { name }]) => [type, name]),
);

/** Adds a call; false, and nothing added, where the entry is none of a known shape. */
export function addCall(outline: Outline, draft: Draft): boolean {
  const { text, members, type } = outline;
  const shape = CALLS.get(type);
  if (shape === undefined) return false;
  const callId = callIdOf(outline);
  const name = shape.name ?? nameOf(outline);
  const span = members.get(shape.input);
  if (callId === null || name === null || span === undefined) return false;
  const isString = kindOf(text, span) === "string";
  const origin: Origin = isString ? { kind: "strings", spans: [span] } : { kind: "raw", span };
  const original = readOrigin(text, origin);
  const input = inputOf(text, span, shape, original.bytes);
  const item = { kind: "call", callId, name, input, blockIndex: 0, ...measureText(original) } as const;
  addSeed(draft, text, { item, keyStem: `call:${callId}:${name}`, isNamed: true, origin, slot: null }, original);
  return true;
}

/** The call that an entry makes or answers; the local shell may name it by `id` alone. */
export function callIdOf({ text, members, type }: Outline): string | null {
  const callId = nameAt(text, members.get("call_id"));
  const isLocalShell = type === "local_shell_call" || type === "local_shell_call_output";
  return callId ?? (isLocalShell ? nameAt(text, members.get("id")) : null);
}

/** A tool of a namespace by both names, as clients of this API write them out in one. */
function nameOf({ text, members }: Outline): string | null {
  const name = nameAt(text, members.get("name"));
  const namespace = nameAt(text, members.get("namespace"));
  return name === null ? null : qualifiedName(namespace, name);
}

/** The name of a tool in a namespace; of one in none its own. */
export function qualifiedName(namespace: string | null, name: string): string {
  return namespace === null || namespace === "" ? name : `${namespace}__${name}`;
}

/** Arguments that are no JSON are a text. */
function inputOf(text: JsonBytes, span: Span, { isText }: CallShape, original: Uint8Array): JsonValue {
  const bytes = Buffer.from(original.buffer, original.byteOffset, original.length);
  const parsed = isText ? undefined : parseValue(bytes);
  if (parsed !== undefined) return parsed;
  return kindOf(text, span) === "string" ? bytes.toString("utf8") : null;
}
