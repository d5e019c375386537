import type { Usage } from "../../model/usage.ts";
import type { RecordedBlock, RecordedMessage } from "../recording.ts";
import { createGeminiCalls, type GeminiCalls, readGeminiContent } from "./gemini-content.ts";
import type { GeminiStep } from "./gemini-record.ts";
import { createTeller, type Teller } from "./teller.ts";
import { timeOf } from "./time.ts";
import type { ToldEntry } from "./told.ts";
import { countOrZero, isRecord, type JsonRecord, textOrNull } from "./values.ts";

/** Puts the messages of a chat in the API's form, each answer with the results of its calls behind it. */
export function tellGemini(steps: readonly GeminiStep[]): readonly ToldEntry[] {
  const teller = createTeller();
  const calls = createGeminiCalls();
  const lastOf = new Map<string, ToldEntry | null>();
  for (const step of steps) {
    if (step.kind === "rewind") teller.goTo(step.toId === null ? null : (lastOf.get(step.toId) ?? null));
    else if (step.kind === "fold")
      teller.tell({ kind: "fold", opening: [], keptFrom: null }, { line: step.line, atMs: null });
    else {
      tellMessage(teller, calls, step.value, step.line);
      lastOf.set(step.id, teller.last());
    }
  }
  return teller.entries;
}

/** Bare contents: everything of the model is an answer. */
export function tellContents(contents: readonly JsonRecord[]): readonly ToldEntry[] {
  const teller = createTeller();
  const calls = createGeminiCalls();
  for (const content of contents) {
    const message = readGeminiContent(content, calls, 0);
    const place = { line: 0, atMs: null };
    if (message.role === "assistant") tellResponse(teller, message, {}, place);
    else teller.tell({ kind: "said", messages: [message] }, place);
  }
  return teller.entries;
}

/** Notices of the client (`info`, `error`, `warning`) are not sent. */
function tellMessage(teller: Teller, calls: GeminiCalls, value: JsonRecord, line: number): void {
  const place = { line, atMs: timeOf(value.timestamp) };
  if (value.type === "user") {
    const message = readGeminiContent({ role: "user", parts: partsOf(value.content) }, calls, line);
    if (message.blocks.length > 0) teller.tell({ kind: "said", messages: [message] }, place);
    return;
  }
  if (value.type !== "gemini" && value.type !== "qwen" && value.type !== "model") return;
  const toolCalls = (Array.isArray(value.toolCalls) ? value.toolCalls : []).filter(isRecord);
  const called = toolCalls.map(({ id, name, args }) => ({ functionCall: { id, name, args: args ?? {} } }));
  const message = readGeminiContent({ role: "model", parts: [...partsOf(value.content), ...called] }, calls, line);
  tellResponse(teller, message, value, place);
  for (const call of toolCalls) tellResult(teller, calls, call, line);
}

function tellResponse(
  teller: Teller,
  message: RecordedMessage,
  value: JsonRecord,
  place: { line: number; atMs: number | null },
): void {
  const { model, id, tokens } = value;
  const facts = { model: textOrNull(model), messageId: textOrNull(id), usage: usageOf(tokens) };
  teller.tell({ kind: "response", message, ...facts, askedMs: null, isSentBack: true }, place);
}

function tellResult(teller: Teller, calls: GeminiCalls, call: JsonRecord, line: number): void {
  const parts = Array.isArray(call.result) ? call.result : isRecord(call.result) ? [call.result] : [];
  const { blocks } = readGeminiContent({ role: "user", parts }, calls, line);
  const results = blocks.map(
    (block): RecordedBlock => (block.kind === "media" ? { ...block, callId: textOrNull(call.id) } : block),
  );
  if (results.length === 0) return;
  teller.tell({ kind: "said", messages: [{ role: "user", blocks: results }] }, { line, atMs: timeOf(call.timestamp) });
}

/** A text alone, parts, or one part. */
function partsOf(content: unknown): readonly JsonRecord[] {
  if (typeof content === "string") return content === "" ? [] : [{ text: content }];
  if (isRecord(content)) return [content];
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts.flatMap((part) => (typeof part === "string" ? [{ text: part }] : isRecord(part) ? [part] : []));
}

/** The client counts what was cached as part of the input, and thoughts beside the output. */
function usageOf(tokens: unknown): Usage | null {
  if (!isRecord(tokens)) return null;
  const cached = countOrZero(tokens.cached);
  return {
    inputTokens: Math.max(0, countOrZero(tokens.input) - cached),
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
    outputTokens: countOrZero(tokens.output) + countOrZero(tokens.thoughts),
  };
}
