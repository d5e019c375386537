import type { TokenCounter } from "../../model/ports.ts";
import type { RecordedProblem } from "../recording.ts";
import { chatPart, type LoggedMessage, recordsIn, tellChat } from "./chat-telling.ts";
import { type LogConversation, toContexts } from "./conversation.ts";
import type { ReadLog, WholeFormat } from "./log-collector.ts";
import { isRecord, type JsonRecord, parseJson, textOrNull } from "./values.ts";

/** Trajectories of SWE-agent: the chat that it held, with or without tool calls. */
export const sweAgentFormat: WholeFormat = {
  format: "swe-agent",
  knows: (value) =>
    isRecord(value) &&
    Array.isArray(value.trajectory) &&
    recordsIn(value.history).some(({ role }) => role !== undefined),
  read: readTrajectory,
};

/** Trajectories of mini-swe-agent: its messages, bare or under `messages`. */
export const miniSweAgentFormat: WholeFormat = {
  format: "mini-swe-agent",
  knows: (value) => isMiniTrajectory(value),
  read: readMini,
};

function readTrajectory(value: unknown, counter: TokenCounter): ReadLog {
  const trajectory = isRecord(value) ? value : {};
  const history = recordsIn(trajectory.history);
  const agents = [...new Set(history.map(({ agent }) => textOrNull(agent) ?? "main"))];
  const model = modelOf(trajectory.replay_config);
  const problems: RecordedProblem[] = [];
  const conversations = agents.map((name, index) => {
    const messages = history
      .filter(({ agent }) => (textOrNull(agent) ?? "main") === name)
      .map((entry): LoggedMessage => ({ message: sentForm(entry), model, response: null, at: null }));
    return conversationOf(index === 0 ? "main" : `agent ${name}`, messages, problems);
  });
  return { format: null, contexts: toContexts(conversations, counter), problems };
}

/** A result names its call in a list of its own. */
function sentForm(entry: JsonRecord): JsonRecord {
  const [callId] = Array.isArray(entry.tool_call_ids) ? entry.tool_call_ids : [];
  const part = chatPart(entry);
  return callId === undefined ? part : { ...part, tool_call_id: callId };
}

/** The settings of a run, as JSON or as the text of it. */
function modelOf(config: unknown): string | null {
  const parsed = typeof config === "string" ? parseJson(Buffer.from(config)) : { ok: true as const, value: config };
  const agent = parsed.ok && isRecord(parsed.value) ? parsed.value.agent : null;
  return isRecord(agent) && isRecord(agent.model) ? textOrNull(agent.model.name) : null;
}

function isMiniTrajectory(value: unknown): boolean {
  if (isRecord(value)) {
    return typeof value.trajectory_format === "string" && value.trajectory_format.startsWith("mini-swe-agent");
  }
  const messages = recordsIn(value);
  return (
    messages.length > 1 &&
    messages.length === (Array.isArray(value) ? value.length : 0) &&
    messages.every(isMiniMessage) &&
    messages[0]?.role === "system"
  );
}

function isMiniMessage({ role, content }: JsonRecord): boolean {
  return (
    ["system", "user", "assistant", "tool"].includes(String(role)) &&
    (typeof content === "string" || Array.isArray(content))
  );
}

/** The last message of a run may say only how it ended, which is no part of the chat. */
function readMini(value: unknown, counter: TokenCounter): ReadLog {
  const problems: RecordedProblem[] = [];
  const info = isRecord(value) && isRecord(value.info) ? value.info : {};
  const config = isRecord(info.config) ? info.config : {};
  const model = isRecord(config.model) ? textOrNull(config.model.model_name) : null;
  const messages = recordsIn(isRecord(value) ? value.messages : value)
    .filter(({ role }) => role !== "exit")
    .map((entry): LoggedMessage => {
      const extra = isRecord(entry.extra) ? entry.extra : {};
      return { message: chatPart(entry), model, response: extra.response ?? null, at: extra.timestamp };
    });
  const conversations = [conversationOf("main", messages, problems)];
  return { format: null, contexts: toContexts(conversations, counter), problems };
}

/** The chat itself begins with the system prompt. */
function conversationOf(id: string, messages: readonly LoggedMessage[], problems: RecordedProblem[]): LogConversation {
  return {
    id,
    kind: id === "main" ? "main" : "agent",
    sessionId: null,
    wire: "openai-chat",
    workingDirectory: null,
    agent: { opening: "", offeredTools: [] },
    systemText: null,
    toolsJson: null,
    entries: tellChat(messages, problems),
    problems: [],
  };
}
