import type { RecordedBlock, RecordedMessage, RecordedProblem, RecordedWire } from "../recording.ts";
import { readBlocks } from "./blocks.ts";
import { readChatMessage } from "./chat-message.ts";
import { createGeminiCalls, readGeminiContent } from "./gemini-content.ts";
import { toJsonBlock } from "./json-block.ts";
import { readResponsesItem } from "./responses-item.ts";
import { isRecord, type JsonRecord } from "./values.ts";

/** What a request's body holds, in any of the formats. */
export interface BodyContent {
  /** Texts of its system prompt, and its tools as JSON. */
  readonly headTexts: readonly string[];
  readonly messages: readonly RecordedMessage[];
  readonly problems: readonly RecordedProblem[];
}

/** Takes a body apart that was found to be in that format. */
export function contentOf(wire: RecordedWire, value: JsonRecord, line: number): BodyContent {
  const tools = value.tools === undefined ? [] : [JSON.stringify(value.tools)];
  switch (wire) {
    case "anthropic-messages":
      return { headTexts: [...tools, ...textsIn(value.system)], ...anthropicMessages(value, line) };
    case "openai-chat":
      return { headTexts: tools, ...chatMessages(value, line) };
    case "openai-responses":
      return { headTexts: [...tools, ...textsIn(value.instructions)], ...responsesMessages(value, line) };
    case "gemini":
      return { headTexts: [...tools, ...textsIn(value.systemInstruction)], ...geminiMessages(value, line) };
  }
}

type Messages = Omit<BodyContent, "headTexts">;

function anthropicMessages(value: JsonRecord, line: number): Messages {
  const messages: RecordedMessage[] = [];
  const problems: RecordedProblem[] = [];
  for (const message of listOf(value.messages)) {
    if (!isRecord(message)) continue;
    const role = message.role === "assistant" ? "assistant" : message.role === "system" ? "system" : "user";
    const read = readBlocks(role, message.content, line);
    messages.push({ role, blocks: read.blocks });
    problems.push(...read.problems);
  }
  return { messages, problems };
}

function chatMessages(value: JsonRecord, line: number): Messages {
  const read = listOf(value.messages).map((message) => readChatMessage(message, line));
  return {
    messages: read.flatMap(({ message }) => message ?? []),
    problems: read.flatMap(({ problems }) => problems),
  };
}

/** What the model says in a row is one message; everything else is one by itself. */
function responsesMessages(value: JsonRecord, line: number): Messages {
  if (typeof value.input === "string") {
    const message = { type: "message", role: "user", content: value.input };
    return { messages: [{ role: "user", blocks: [toJsonBlock("user", "text", message, line)] }], problems: [] };
  }
  const messages: { role: RecordedMessage["role"]; blocks: RecordedBlock[] }[] = [];
  for (const item of listOf(value.input)) {
    const block = readResponsesItem(item, line);
    if (block === null) continue;
    const last = messages.at(-1);
    if (block.role === "assistant" && last?.role === "assistant") last.blocks.push(block);
    else messages.push({ role: block.role, blocks: [block] });
  }
  return { messages, problems: [] };
}

function geminiMessages(value: JsonRecord, line: number): Messages {
  const calls = createGeminiCalls();
  return {
    messages: listOf(value.contents)
      .filter(isRecord)
      .map((content) => readGeminiContent(content, calls, line)),
    problems: [],
  };
}

/** The texts of a prompt that is a string, or a list of parts with one. */
function textsIn(prompt: unknown): readonly string[] {
  if (typeof prompt === "string") return [prompt];
  const parts = isRecord(prompt) ? listOf(prompt.parts) : listOf(prompt);
  return parts.flatMap((part) => (isRecord(part) && typeof part.text === "string" ? [part.text] : []));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
