import type { TokenCounter } from "../../model/ports.ts";
import type { RecordedProblem } from "../recording.ts";
import { type LogConversation, toContexts } from "./conversation.ts";
import type { LineFormat, LogCollector } from "./log-collector.ts";
import type { AgentWords } from "./overhead.ts";
import { createPiTelling } from "./pi-telling.ts";
import { isRecord, type JsonRecord, kindOf, textOrNull } from "./values.ts";

/** Sessions of pi, as a line and as a tree. */
export const piFormat: LineFormat = { format: "pi", knows: isHead, begin: createCollector };

const PI: AgentWords = {
  opening: "You are an expert coding assistant operating inside pi, a coding agent harness.",
  offeredTools: ["bash", "edit", "read", "write"],
};

function isHead(value: unknown): boolean {
  return (
    isRecord(value) && value.type === "session" && typeof value.id === "string" && typeof value.timestamp === "string"
  );
}

function createCollector(counter: TokenCounter): LogCollector {
  const problems: RecordedProblem[] = [];
  const telling = createPiTelling(problems);
  let head: JsonRecord | null = null;
  return {
    add(value, line) {
      if (!isRecord(value)) problems.push({ line, words: `not an entry: expected an object, got ${kindOf(value)}` });
      else if (value.type === "session") head ??= value;
      else telling.add(value, line);
    },
    finish() {
      const conversation: LogConversation = {
        id: "main",
        kind: "main",
        sessionId: textOrNull(head?.id),
        wire: "anthropic-messages",
        workingDirectory: textOrNull(head?.cwd),
        agent: PI,
        systemText: null,
        toolsJson: null,
        entries: telling.entries,
        problems: [],
      };
      return { format: null, contexts: toContexts([conversation], counter), problems };
    },
  };
}
