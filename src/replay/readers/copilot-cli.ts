import type { TokenCounter } from "../../model/ports.ts";
import type { RecordedProblem } from "../recording.ts";
import { type LogConversation, toContexts } from "./conversation.ts";
import { createCopilotTelling } from "./copilot-telling.ts";
import type { LineFormat, LogCollector } from "./log-collector.ts";
import type { AgentWords } from "./overhead.ts";
import { isRecord, type JsonRecord, kindOf, textOrNull } from "./values.ts";

/** Sessions of GitHub Copilot CLI: events with their data, sub-agents among them. */
export const copilotCliFormat: LineFormat = { format: "copilot-cli", knows: isEvent, begin: createCollector };

const COPILOT: AgentWords = {
  opening: "You are the GitHub Copilot CLI, a terminal assistant.",
  offeredTools: ["bash", "create", "edit", "glob", "grep", "report_intent", "view"],
};

const FAMILIES = /^(session|user|assistant|system|tool|subagent|hook|skill|abort)(\.|$)/;

function isEvent(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value.data) || typeof value.type !== "string") return false;
  return FAMILIES.test(value.type) && typeof value.id === "string" && typeof value.timestamp === "string";
}

function createCollector(counter: TokenCounter): LogCollector {
  const problems: RecordedProblem[] = [];
  const telling = createCopilotTelling(problems);
  let start: JsonRecord = {};
  return {
    add(value, line) {
      if (!isRecord(value) || !isRecord(value.data)) {
        problems.push({ line, words: `not an event: expected an object with data, got ${kindOf(value)}` });
      } else if (value.type === "session.start" || value.type === "session.resume") start = { ...start, ...value.data };
      else telling.add(String(value.type), value.data, { line, at: value.timestamp });
    },
    finish() {
      const sessionId = textOrNull(start.sessionId);
      const place = isRecord(start.context) ? start.context : {};
      const conversations = telling.threads().map(
        ({ agentId, entries, systemText }): LogConversation => ({
          id: agentId === null ? "main" : `agent ${agentId}`,
          kind: agentId === null ? "main" : "agent",
          sessionId,
          wire: "anthropic-messages",
          workingDirectory: textOrNull(place.cwd),
          agent: COPILOT,
          systemText,
          toolsJson: null,
          entries,
          problems: [],
        }),
      );
      return { format: null, contexts: toContexts(conversations, counter), problems };
    },
  };
}
