import type { Usage } from "../../model/usage.ts";
import type { RecordedMessage, RecordedProblem } from "../recording.ts";
import { readBlocks } from "./blocks.ts";
import { createTeller, type Teller } from "./teller.ts";
import { timeOf } from "./time.ts";
import type { ToldEntry, ToldResponse } from "./told.ts";
import { countOrZero, isRecord, type JsonRecord, textOrNull } from "./values.ts";

/** One conversation of a session: the person's own, or that of a sub-agent. */
export interface CopilotThread {
  /** The call that began it; null for the person's own. */
  readonly agentId: string | null;
  readonly entries: readonly ToldEntry[];
  readonly systemText: string | null;
}

/** Takes a session's events one by one. */
export interface CopilotTelling {
  threads(): readonly CopilotThread[];
  add(type: string, data: JsonRecord, place: { readonly line: number; readonly at: unknown }): void;
}

interface Thread {
  readonly agentId: string | null;
  readonly teller: Teller;
  systemText: string | null;
  model: string | null;
}

/** Begins a session. What cannot be read is added to `problems`. */
export function createCopilotTelling(problems: RecordedProblem[]): CopilotTelling {
  const threads = new Map<string | null, Thread>();
  const threadOf = (data: JsonRecord): Thread => {
    const agentId = textOrNull(data.parentToolCallId);
    const known = threads.get(agentId);
    if (known !== undefined) return known;
    const model = threads.get(null)?.model ?? null;
    const thread: Thread = { agentId, teller: createTeller(), systemText: null, model };
    threads.set(agentId, thread);
    return thread;
  };
  return {
    threads: () =>
      [...threads.values()].map(({ agentId, teller, systemText }) => ({
        agentId,
        entries: teller.entries,
        systemText,
      })),
    add(type, data, { line, at }) {
      const thread = threadOf(data);
      const place = { line, atMs: timeOf(at) };
      const say = (content: unknown): void => {
        const read = readBlocks("user", content, line);
        problems.push(...read.problems);
        if (read.blocks.length > 0)
          thread.teller.tell({ kind: "said", messages: [{ role: "user", blocks: read.blocks }] }, place);
      };
      switch (type) {
        case "system.message":
          thread.systemText ??= textOrNull(data.content);
          return;
        case "session.model_change":
          thread.model = textOrNull(data.newModel) ?? thread.model;
          return;
        case "user.message":
          say(textOrNull(data.transformedContent) ?? data.content);
          return;
        case "assistant.message":
          thread.teller.tell(answerOf(data, thread, line, problems), place);
          return;
        case "assistant.usage":
          thread.model = textOrNull(data.model) ?? thread.model;
          return;
        case "tool.execution_complete":
          say([resultOf(data)]);
          return;
        case "session.compaction_complete":
          if (data.success !== false)
            thread.teller.tell({ kind: "fold", opening: summaryOf(data, line), keptFrom: null }, place);
      }
    },
  };
}

/** The log counts only what an answer put out: what went in is known for the session alone. */
function answerOf(data: JsonRecord, thread: Thread, line: number, problems: RecordedProblem[]): ToldResponse {
  const thought = textOrNull(data.reasoningText);
  const thinking =
    thought === null
      ? []
      : [{ type: "thinking", thinking: thought, signature: textOrNull(data.reasoningOpaque) ?? "" }];
  const text = textOrNull(data.content);
  const calls = (Array.isArray(data.toolRequests) ? data.toolRequests : [])
    .filter(isRecord)
    .map(({ toolCallId, name, arguments: input }) => ({ type: "tool_use", id: toolCallId, name, input: input ?? {} }));
  const read = readBlocks(
    "assistant",
    [...thinking, ...(text === null ? [] : [{ type: "text", text }]), ...calls],
    line,
  );
  problems.push(...read.problems);
  const message: RecordedMessage = { role: "assistant", blocks: read.blocks };
  const model = textOrNull(data.model) ?? thread.model;
  return {
    kind: "response",
    message,
    model,
    messageId: textOrNull(data.messageId),
    usage: usageOf(data),
    askedMs: null,
    isSentBack: true,
  };
}

function usageOf({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens }: JsonRecord): Usage | null {
  if (typeof inputTokens !== "number") return null;
  const read = countOrZero(cacheReadTokens);
  const written = countOrZero(cacheWriteTokens);
  return {
    inputTokens: Math.max(0, inputTokens - read - written),
    cacheReadTokens: read,
    cacheWriteTokens: written,
    outputTokens: countOrZero(outputTokens),
  };
}

function resultOf({ toolCallId, success, result, error }: JsonRecord): JsonRecord {
  const returned = isRecord(result) ? result.content : result;
  const words = isRecord(error) ? error.message : error;
  const content = textOrNull(returned) ?? textOrNull(words) ?? "";
  return { type: "tool_result", tool_use_id: toolCallId, content, ...(success === false ? { is_error: true } : {}) };
}

function summaryOf({ summaryContent }: JsonRecord, line: number): readonly RecordedMessage[] {
  const { blocks } = readBlocks("user", textOrNull(summaryContent) ?? "", line);
  return blocks.length === 0 ? [] : [{ role: "user", blocks }];
}
