import type { TokenCounter } from "../../model/ports.ts";
import type { RecordedContext, RecordedProblem } from "../recording.ts";
import { recordsIn } from "./chat-telling.ts";
import { type LogConversation, toContexts } from "./conversation.ts";
import type { ReadLog, WholeFormat } from "./log-collector.ts";
import { tellOpencode } from "./opencode-telling.ts";
import type { AgentWords } from "./overhead.ts";
import { isRecord, type JsonRecord, textOrNull } from "./values.ts";

/** Sessions of opencode as its `export` writes them: what the session is, and each message with its parts. */
export const opencodeFormat: WholeFormat = {
  format: "opencode",
  knows: isExport,
  read(value: unknown, counter: TokenCounter): ReadLog {
    const session = isRecord(value)
      ? { info: recordOf(value.info), messages: recordsIn(value.messages).map(messageOf) }
      : null;
    return session === null ? { format: null, contexts: [], problems: [] } : readOpencode([session], counter);
  },
};

/** A session wherever it is kept. */
export interface OpencodeSession {
  /** Its own record: `id`, `parentID`, `directory`, … */
  readonly info: JsonRecord;
  readonly messages: readonly OpencodeMessage[];
}

export interface OpencodeMessage {
  readonly info: JsonRecord;
  readonly parts: readonly JsonRecord[];
}

const OPENCODE: AgentWords = {
  opening: "You are opencode, an interactive CLI tool that helps users with software engineering tasks.",
  offeredTools: ["bash", "edit", "glob", "grep", "read", "task", "todowrite", "write"],
};

function isExport(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value.info) || typeof value.info.id !== "string") return false;
  const messages = recordsIn(value.messages);
  return messages.length > 0 && messages.every((message) => isRecord(message.info) && Array.isArray(message.parts));
}

/** The conversations of sessions; one with a parent is that of a sub-agent. */
export function readOpencode(sessions: readonly OpencodeSession[], counter: TokenCounter): ReadLog {
  const problems: RecordedProblem[] = [];
  const conversations = sessions.map(({ info, messages }): LogConversation => {
    const sessionId = textOrNull(info.id);
    const isAgent = textOrNull(info.parentID) !== null;
    return {
      id: sessions.length === 1 && !isAgent ? "main" : `${isAgent ? "agent" : "session"} ${sessionId ?? "unnamed"}`,
      kind: isAgent ? "agent" : "main",
      sessionId,
      wire: "anthropic-messages",
      workingDirectory: textOrNull(info.directory),
      agent: OPENCODE,
      systemText: null,
      toolsJson: null,
      entries: tellOpencode(messages, problems),
      problems: [],
    };
  });
  const contexts: readonly RecordedContext[] = toContexts(conversations, counter);
  return { format: null, contexts, problems };
}

function messageOf({ info, parts }: JsonRecord): OpencodeMessage {
  return { info: recordOf(info), parts: recordsIn(parts) };
}

function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}
