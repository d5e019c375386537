import type { TokenCounter } from "../../model/ports.ts";
import type { RecordedProblem } from "../recording.ts";
import { type LogConversation, toContexts } from "./conversation.ts";
import { isGeminiContent } from "./gemini-content.ts";
import { createGeminiRecord, type GeminiRecord } from "./gemini-record.ts";
import { tellContents, tellGemini } from "./gemini-telling.ts";
import type { LineFormat, LogCollector, ReadLog, WholeFormat } from "./log-collector.ts";
import type { AgentWords } from "./overhead.ts";
import type { ToldEntry } from "./told.ts";
import { isRecord, kindOf, textOrNull } from "./values.ts";

/** Current chats of Gemini CLI, and of Qwen Code in the same form: a head, then messages that are written anew as they grow. */
export const geminiCliLines: LineFormat = {
  format: "gemini-cli",
  knows: (value) => isHead(value) && !hasMessages(value),
  begin: createCollector,
};

/** Older chats of Gemini CLI: one JSON value with all messages. */
export const geminiCliWhole: WholeFormat = {
  format: "gemini-cli",
  knows: (value) => (isHead(value) && hasMessages(value)) || isCheckpoint(value),
  read: readWhole,
};

const GEMINI_CLI: AgentWords = {
  opening: "You are an interactive CLI agent specializing in software engineering tasks.",
  offeredTools: [
    "glob",
    "list_directory",
    "read_file",
    "replace",
    "run_shell_command",
    "search_file_content",
    "write_file",
  ],
};

function isHead(value: unknown): boolean {
  if (!isRecord(value) || typeof value.sessionId !== "string" || typeof value.startTime !== "string") return false;
  return "projectHash" in value || "lastUpdated" in value || hasMessages(value);
}

function hasMessages(value: unknown): boolean {
  return isRecord(value) && Array.isArray(value.messages) && value.messages.length > 0;
}

/** A saved conversation: the bare contents, or under `history`. */
function isCheckpoint(value: unknown): boolean {
  const contents = contentsOf(value);
  return contents.length > 0 && contents.every(isGeminiContent);
}

function contentsOf(value: unknown): readonly unknown[] {
  const contents = isRecord(value) ? value.history : value;
  return Array.isArray(contents) ? contents : [];
}

function createCollector(counter: TokenCounter): LogCollector {
  const record = createGeminiRecord();
  const problems: RecordedProblem[] = [];
  return {
    add(value, line) {
      if (isRecord(value)) record.add(value, line);
      else problems.push({ line, words: `not a line of a chat: expected an object, got ${kindOf(value)}` });
    },
    finish: () => toLog(record, problems, counter),
  };
}

function readWhole(value: unknown, counter: TokenCounter): ReadLog {
  if (!isHead(value)) {
    const conversation = conversationOf(tellContents(contentsOf(value).filter(isGeminiContent)), null, false);
    return { format: null, contexts: toContexts([conversation], counter), problems: [] };
  }
  const record = createGeminiRecord();
  if (isRecord(value)) record.add(value, 0);
  return toLog(record, [], counter);
}

function toLog(record: GeminiRecord, problems: readonly RecordedProblem[], counter: TokenCounter): ReadLog {
  const { head } = record;
  const conversation = conversationOf(
    tellGemini(record.steps()),
    textOrNull(head().sessionId),
    head().kind === "subagent",
  );
  return { format: null, contexts: toContexts([conversation], counter), problems: [...problems, ...record.problems] };
}

function conversationOf(entries: readonly ToldEntry[], sessionId: string | null, isAgent: boolean): LogConversation {
  return {
    id: isAgent ? `agent ${sessionId ?? "unnamed"}` : "main",
    kind: isAgent ? "agent" : "main",
    sessionId,
    wire: "gemini",
    workingDirectory: null,
    agent: GEMINI_CLI,
    systemText: null,
    toolsJson: null,
    entries,
    problems: [],
  };
}
