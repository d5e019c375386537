import type { Usage } from "../../model/usage.ts";
import type { RecordedProblem } from "../recording.ts";
import { readBlocks } from "./blocks.ts";
import { toAnthropicBlock } from "./pi-blocks.ts";
import { createTeller } from "./teller.ts";
import { timeOf } from "./time.ts";
import type { ToldEntry } from "./told.ts";
import { countOrZero, isRecord, type JsonRecord, textOrNull } from "./values.ts";

/** Takes the entries of a session one by one. */
export interface PiTelling {
  readonly entries: readonly ToldEntry[];
  add(value: JsonRecord, line: number): void;
}

const ANSWERS_BROKEN_OFF = new Set(["aborted", "error"]);

/** Begins a session. What cannot be read is added to `problems`. */
export function createPiTelling(problems: RecordedProblem[]): PiTelling {
  const teller = createTeller();
  /** The entry that each id stands for: its own, or for what is not sent the one in front of it. */
  const byId = new Map<string, ToldEntry | null>();
  const say = (content: unknown, line: number, atMs: number | null): void => {
    const read = readBlocks("user", content, line);
    problems.push(...read.problems);
    if (read.blocks.length > 0)
      teller.tell({ kind: "said", messages: [{ role: "user", blocks: read.blocks }] }, { line, atMs });
  };
  const tellMessage = (message: JsonRecord, line: number, atMs: number | null): void => {
    if (message.role === "assistant") tellAnswer(message, line, atMs);
    else if (message.excludeFromContext !== true) say(spokenBy(message), line, atMs);
  };
  const tellAnswer = (message: JsonRecord, line: number, atMs: number | null): void => {
    const read = readBlocks("assistant", anthropicContent(message.content), line);
    problems.push(...read.problems);
    const { usage } = message;
    const told = {
      kind: "response",
      message: { role: "assistant", blocks: read.blocks },
      model: textOrNull(message.model),
      messageId: textOrNull(message.responseId),
      usage: isRecord(usage) ? usageOf(usage) : null,
      askedMs: timeOf(message.timestamp),
      isSentBack: !ANSWERS_BROKEN_OFF.has(String(message.stopReason)),
    } as const;
    teller.tell(told, { line, atMs });
  };
  const tellFold = (value: JsonRecord, line: number, atMs: number | null): void => {
    const { blocks } = readBlocks("user", textOrNull(value.summary) ?? "", line);
    const keptFrom = byId.get(String(value.firstKeptEntryId)) ?? null;
    teller.tell(
      { kind: "fold", opening: blocks.length === 0 ? [] : [{ role: "user", blocks }], keptFrom },
      { line, atMs },
    );
  };
  return {
    entries: teller.entries,
    add(value, line) {
      const atMs = timeOf(value.timestamp);
      if (typeof value.parentId === "string" && byId.has(value.parentId)) teller.goTo(byId.get(value.parentId) ?? null);
      else if (value.parentId === null) teller.goTo(null);
      if (value.type === "message" && isRecord(value.message)) tellMessage(value.message, line, atMs);
      else if (value.type === "compaction") tellFold(value, line, atMs);
      else if (value.type === "branch_summary" && typeof value.summary === "string") say(value.summary, line, atMs);
      else if (value.type === "custom_message") say(anthropicContent(value.content), line, atMs);
      else if (typeof value.type !== "string") problems.push({ line, words: "not an entry: expected a type" });
      if (typeof value.id === "string") byId.set(value.id, teller.last());
    },
  };
}

/** Everything that is not the model's comes to it as a message of the person. */
function spokenBy(message: JsonRecord): unknown {
  if (message.role === "toolResult") return [resultOf(message)];
  if (message.role === "bashExecution") return commandText(message);
  return typeof message.summary === "string" ? message.summary : anthropicContent(message.content);
}

function anthropicContent(content: unknown): unknown {
  return Array.isArray(content) ? content.map(toAnthropicBlock) : content;
}

function resultOf({ toolCallId, content, isError }: JsonRecord): JsonRecord {
  const failed = isError === true ? { is_error: true } : {};
  return { type: "tool_result", tool_use_id: toolCallId, content: anthropicContent(content), ...failed };
}

/** A command that the person ran in the session. */
function commandText({ command, output }: JsonRecord): string {
  return `Ran \`${textOrNull(command) ?? ""}\`\n\`\`\`\n${textOrNull(output) ?? ""}\n\`\`\``;
}

function usageOf(usage: JsonRecord): Usage {
  return {
    inputTokens: countOrZero(usage.input),
    cacheReadTokens: countOrZero(usage.cacheRead),
    cacheWriteTokens: countOrZero(usage.cacheWrite),
    outputTokens: countOrZero(usage.output),
  };
}
