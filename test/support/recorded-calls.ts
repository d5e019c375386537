import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../src/lib/hash.ts";
import type { CallItem, ResultItem } from "../../src/model/item.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";

/** A call of a tool that a real client recorded, and its result where it has one. */
export interface RecordedCall {
  readonly call: CallItem;
  readonly result: ResultItem | null;
  readonly text: string;
}

/** Calls of every file in a folder of recorded sessions or request bodies, each once, in the order they were made. */
export function recordedCallsIn(folder: string): readonly RecordedCall[] {
  const found = new Map<string, RecordedCall>();
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  for (const name of names.filter((one) => /\.jsonl?$/.test(one))) {
    for (const one of callsOf(valuesIn(readFileSync(join(folder, name), "utf8"), name))) {
      found.set(`${one.call.callId} ${one.result === null}`, one);
    }
  }
  return Array.from(found.values());
}

/** Calls and results anywhere in a value, whichever API or session format it is in. */
export function callsOf(value: JsonValue): readonly RecordedCall[] {
  const calls: CallItem[] = [];
  const results = new Map<string, { readonly text: string; readonly isError: boolean }>();
  visit(value, (node) => {
    const call = callIn(node);
    if (call !== null) calls.push(call);
    const result = resultIn(node);
    if (result !== null) results.set(result.callId, result);
  });
  return calls.map((call) => {
    const result = results.get(call.callId);
    return { call, result: result === undefined ? null : toResult(call.callId, result), text: result?.text ?? "" };
  });
}

function valuesIn(text: string, name: string): JsonValue {
  if (name.endsWith(".jsonl"))
    return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [JSON.parse(line)]));
  const value = JSON.parse(text);
  return typeof value?.bodyRaw === "string" ? JSON.parse(value.bodyRaw) : value;
}

function visit(value: JsonValue | undefined, see: (node: JsonObject) => void): void {
  if (isList(value)) for (const one of value) visit(one, see);
  else if (isObject(value)) {
    see(value);
    for (const one of Object.values(value)) visit(one, see);
  }
}

function callIn(node: JsonObject): CallItem | null {
  const { type, state } = node;
  if (type === "tool_use" || type === "toolCall") return toCall(node.id, node.name, node.input ?? node.arguments);
  if (type === "function" && isObject(node.function))
    return toCall(node.id, node.function.name, parsed(node.function.arguments));
  if (type === "function_call") return toCall(node.call_id, node.name, parsed(node.arguments));
  if (type === "custom_tool_call") return toCall(node.call_id, node.name, node.input);
  if (type === "tool" && isObject(state)) return toCall(node.callID, node.tool, state.input);
  return isObject(node.functionCall)
    ? toCall(node.functionCall.id, node.functionCall.name, node.functionCall.args)
    : sessionCall(node);
}

/** A chat file of Gemini's clients states a call beside its result. */
function sessionCall(node: JsonObject): CallItem | null {
  return isList(node.result) && isObject(node.args) ? toCall(node.id, node.name, node.args) : null;
}

function resultIn(
  node: JsonObject,
): { readonly callId: string; readonly text: string; readonly isError: boolean } | null {
  const { type, state } = node;
  const of = (callId: JsonValue | undefined, content: JsonValue | undefined, isError: boolean) =>
    typeof callId === "string" ? { callId, text: textIn(content), isError } : null;
  if (type === "tool_result") return of(node.tool_use_id, node.content, node.is_error === true);
  if (node.role === "tool") return of(node.tool_call_id, node.content, false);
  if (node.role === "toolResult") return of(node.toolCallId, node.content, node.isError === true);
  if (type === "function_call_output" || type === "custom_tool_call_output")
    return of(node.call_id, node.output, false);
  if (type === "tool" && isObject(state)) return of(node.callID, state.output ?? state.error, state.status === "error");
  if (isList(node.result) && isObject(node.args)) return of(node.id, responseIn(node.result), node.status === "error");
  if (isObject(node.functionResponse))
    return of(node.functionResponse.id, responseText(node.functionResponse.response), false);
  return null;
}

function responseIn(parts: readonly JsonValue[]): JsonValue | undefined {
  const [first] = parts;
  return isObject(first) && isObject(first.functionResponse) ? responseText(first.functionResponse.response) : "";
}

function responseText(response: JsonValue | undefined): string {
  const values = isObject(response) ? Object.values(response) : [];
  const [only] = values;
  return values.length === 1 && typeof only === "string" ? only : JSON.stringify(response ?? null);
}

function textIn(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  return isList(content)
    ? content.map((one) => (isObject(one) && typeof one.text === "string" ? one.text : "")).join("")
    : "";
}

function parsed(value: JsonValue | undefined): JsonValue {
  return typeof value === "string" ? JSON.parse(value) : (value ?? null);
}

function toCall(
  callId: JsonValue | undefined,
  name: JsonValue | undefined,
  input: JsonValue | undefined,
): CallItem | null {
  if (typeof callId !== "string" || typeof name !== "string") return null;
  return { ...sized(""), kind: "call", key: callId, role: "assistant", callId, name, input: input ?? null };
}

function toResult(callId: string, { text, isError }: { readonly text: string; readonly isError: boolean }): ResultItem {
  const place = { key: `result:${callId}`, role: "user", callId, isError, mediaCount: 0, isReplaceable: true } as const;
  return { ...sized(text), kind: "result", ...place };
}

function sized(text: string) {
  const bytes = Buffer.byteLength(text);
  return { digest: sha256Hex(text), bytes, lines: text.split("\n").length, messageIndex: 0, blockIndex: 0 };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
