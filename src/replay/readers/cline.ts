import type { TokenCounter } from "../../model/ports.ts";
import type { Usage } from "../../model/usage.ts";
import type { RecordedProblem } from "../recording.ts";
import { readBlocks } from "./blocks.ts";
import { type LogConversation, toContexts } from "./conversation.ts";
import type { ReadLog, WholeFormat } from "./log-collector.ts";
import type { AgentWords } from "./overhead.ts";
import { createTeller } from "./teller.ts";
import { timeOf } from "./time.ts";
import type { ToldEntry } from "./told.ts";
import { countOrZero, isRecord, type JsonRecord, textOrNull } from "./values.ts";

/** Sessions of Cline: messages of Anthropic's form with what each answer used; also the bare list that earlier versions keep. */
export const clineFormat: WholeFormat = { format: "cline", knows: isCline, read };

const CLINE: AgentWords = {
  opening: "You are Cline, an AI coding agent.",
  offeredTools: ["apply_patch", "editor", "read_files", "run_commands", "search_codebase"],
};

/** A bare list is Cline's where every message is of Anthropic's form and one is of the model; a chat begins with a system message. */
function isCline(value: unknown): boolean {
  const messages = messagesOf(value);
  if (messages.length === 0 || !messages.every(isMessage)) return false;
  if (isRecord(value)) return typeof value.sessionId === "string" && ("agent" in value || "system_prompt" in value);
  return messages.some(({ role }) => role === "assistant") && messages.every(({ content }) => Array.isArray(content));
}

function messagesOf(value: unknown): readonly JsonRecord[] {
  const messages = isRecord(value) ? value.messages : value;
  return Array.isArray(messages) ? messages.filter(isRecord) : [];
}

function isMessage({ role, content }: JsonRecord): boolean {
  if (role !== "user" && role !== "assistant") return false;
  return (
    typeof content === "string" ||
    (Array.isArray(content) && content.every((block) => isRecord(block) && "type" in block))
  );
}

function read(value: unknown, counter: TokenCounter): ReadLog {
  const head = isRecord(value) ? value : {};
  const problems: RecordedProblem[] = [];
  const conversation: LogConversation = {
    id: "main",
    kind: "main",
    sessionId: textOrNull(head.sessionId),
    wire: "anthropic-messages",
    workingDirectory: null,
    agent: CLINE,
    systemText: textOrNull(head.system_prompt),
    toolsJson: null,
    entries: tell(messagesOf(value), problems),
    problems: [],
  };
  return { format: null, contexts: toContexts([conversation], counter), problems };
}

function tell(messages: readonly JsonRecord[], problems: RecordedProblem[]): readonly ToldEntry[] {
  const teller = createTeller();
  for (const { role, content, ts, modelInfo, metrics, id } of messages) {
    const place = { line: 0, atMs: timeOf(ts) };
    const said = readBlocks(role === "assistant" ? "assistant" : "user", withTextResults(content), 0);
    problems.push(...said.problems);
    if (role !== "assistant") {
      teller.tell({ kind: "said", messages: [{ role: "user", blocks: said.blocks }] }, place);
      continue;
    }
    const told = {
      kind: "response",
      message: { role: "assistant", blocks: said.blocks },
      model: isRecord(modelInfo) ? textOrNull(modelInfo.id) : null,
      messageId: textOrNull(id),
      usage: isRecord(metrics) ? usageOf(metrics) : null,
      askedMs: null,
      isSentBack: true,
    } as const;
    teller.tell(told, place);
  }
  return teller.entries;
}

/** Cline keeps what a tool returned as data, and sends it to the model as the text of its JSON. */
function withTextResults(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((block) => {
    if (!isRecord(block) || block.type !== "tool_result" || !Array.isArray(block.content)) return block;
    const isSendable = block.content.every((part) => isRecord(part) && typeof part.type === "string");
    return isSendable ? block : { ...block, content: JSON.stringify(block.content) };
  });
}

/** Cline's input counts what was read from the cache. */
function usageOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: JsonRecord): Usage {
  const read = countOrZero(cacheReadTokens);
  const written = countOrZero(cacheWriteTokens);
  return {
    inputTokens: Math.max(0, countOrZero(inputTokens) - read - written),
    cacheReadTokens: read,
    cacheWriteTokens: written,
    outputTokens: countOrZero(outputTokens),
  };
}
