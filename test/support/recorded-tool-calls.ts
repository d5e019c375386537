import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isListValue, memberOf } from "../../src/dialects/tools/values.ts";
import type { JsonValue } from "../../src/model/json.ts";
import type { GivenCall } from "./dialect-calls.ts";

/** A call of a recorded conversation with the id that its result is known by. */
interface RecordedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonValue;
}

/**
 * Tool calls of a recorded session in the form in which a program keeps them, each with the text of its result. Of results with
 * one id the first belongs to the first call, since replayed sessions use an id twice.
 */
export function recordedToolCalls(folder: string, path: string): readonly GivenCall[] {
  const text = readFileSync(join(folder, path), "utf8");
  const root: JsonValue = path.endsWith(".jsonl")
    ? text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line))
    : JSON.parse(text);
  const calls: RecordedCall[] = [];
  const results = new Map<string, string[]>();
  for (const entry of entriesIn(root)) {
    calls.push(...callsIn(entry));
    for (const [id, result] of resultsIn(entry)) results.set(id, [...(results.get(id) ?? []), result]);
  }
  return calls.map(({ id, tool, input }) => ({ tool, input, text: results.get(id)?.shift() ?? null }));
}

/** Messages or events, wherever the file keeps them. */
function entriesIn(root: JsonValue): readonly JsonValue[] {
  const kept = ["messages", "history", "bodyRaw", "input"]
    .map((name) => memberOf(root, name))
    .find((one) => one !== undefined);
  if (typeof kept === "string") return entriesIn(JSON.parse(kept));
  return isListValue(kept) ? kept : isListValue(root) ? root : [root];
}

function callsIn(entry: JsonValue): readonly RecordedCall[] {
  const listed = listOf(memberOf(entry, "tool_calls")).map((call) =>
    toCall(memberOf(call, "id"), memberOf(call, "function")),
  );
  const blocks = listOf(memberOf(entry, "content")).filter((block) => memberOf(block, "type") === "tool_use");
  const used = blocks.map((block) => toCall(memberOf(block, "id"), block));
  const responses = memberOf(entry, "type") === "function_call" ? [toCall(memberOf(entry, "call_id"), entry)] : [];
  return [...listed, ...used, ...responses, ...startedIn(entry), ...actionsIn(entry)].filter((call) => call !== null);
}

/** Events of Copilot's command line. */
function startedIn(entry: JsonValue): readonly (RecordedCall | null)[] {
  const data = memberOf(entry, "data");
  if (memberOf(entry, "type") !== "tool.execution_start") return [];
  const named = { name: memberOf(data, "toolName") ?? null, arguments: memberOf(data, "arguments") ?? null };
  return [toCall(memberOf(data, "toolCallId"), named)];
}

/** Events of OpenHands keep the call in the response that made it. */
function actionsIn(entry: JsonValue): readonly (RecordedCall | null)[] {
  if (memberOf(entry, "action") === undefined) return [];
  const metadata = memberOf(entry, "tool_call_metadata");
  const [choice] = listOf(memberOf(memberOf(metadata, "model_response"), "choices"));
  const id = memberOf(metadata, "tool_call_id");
  const made = listOf(memberOf(memberOf(choice, "message"), "tool_calls")).filter(
    (call) => memberOf(call, "id") === id,
  );
  return made.map((call) => toCall(id, memberOf(call, "function")));
}

function resultsIn(entry: JsonValue): readonly (readonly [string, string])[] {
  const content = memberOf(entry, "content");
  const data = memberOf(entry, "data");
  const ids = [memberOf(entry, "tool_call_id"), ...listOf(memberOf(entry, "tool_call_ids"))];
  const observed =
    memberOf(entry, "observation") === undefined
      ? undefined
      : memberOf(memberOf(entry, "tool_call_metadata"), "tool_call_id");
  const blocks = listOf(content).filter((block) => memberOf(block, "type") === "tool_result");
  const pairs = [
    ...[...ids, observed].map((id) => [id, content] as const),
    ...blocks.map((block) => [memberOf(block, "tool_use_id"), memberOf(block, "content")] as const),
    [
      memberOf(entry, "type") === "function_call_output" ? memberOf(entry, "call_id") : undefined,
      memberOf(entry, "output"),
    ] as const,
    [
      memberOf(entry, "type") === "tool.execution_complete" ? memberOf(data, "toolCallId") : undefined,
      memberOf(memberOf(data, "result"), "content"),
    ] as const,
  ];
  return pairs.flatMap(([id, text]) => (typeof id === "string" ? [[id, textIn(text)] as const] : []));
}

function toCall(id: JsonValue | undefined, named: JsonValue | undefined): RecordedCall | null {
  const tool = memberOf(named, "name");
  const given = memberOf(named, "arguments") ?? memberOf(named, "input") ?? null;
  if (typeof id !== "string" || typeof tool !== "string") return null;
  return { id, tool, input: typeof given === "string" ? JSON.parse(given) : given };
}

/** Texts of parts joined; values that are no parts as the JSON that a client sends of them. */
function textIn(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  const texts = listOf(content).map((part) => memberOf(part, "text"));
  const isParts = texts.length > 0 && texts.every((text) => typeof text === "string");
  return isParts ? texts.join("") : JSON.stringify(content ?? null);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isListValue(value) ? value : [];
}
