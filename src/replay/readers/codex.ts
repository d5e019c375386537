import type { TokenCounter } from "../../model/ports.ts";
import type { RecordedProblem } from "../recording.ts";
import { type CodexLine, isCodexLine, readCodexLine } from "./codex-line.ts";
import { tellCodex } from "./codex-telling.ts";
import { type LogConversation, toContexts } from "./conversation.ts";
import type { LineFormat, LogCollector } from "./log-collector.ts";
import type { AgentWords } from "./overhead.ts";

/** Rollouts of Codex, old and current: items of the Responses API as they were sent and received. */
export const codexFormat: LineFormat = { format: "codex", knows: isCodexLine, begin: createCollector };

const CODEX: AgentWords = {
  opening: "You are Codex, a coding agent.",
  offeredTools: ["apply_patch", "exec_command", "update_plan", "view_image", "write_stdin"],
};

function createCollector(counter: TokenCounter): LogCollector {
  const lines: CodexLine[] = [];
  const problems: RecordedProblem[] = [];
  return {
    add(value, line) {
      const read = readCodexLine(value, line);
      if (typeof read === "string") problems.push({ line, words: read });
      else if (read !== null) lines.push(read);
    },
    finish() {
      const meta = lines.find((line) => line.kind === "meta");
      const sessionId = meta?.sessionId ?? null;
      const isAgent = meta?.isAgent === true;
      const conversation: LogConversation = {
        id: isAgent ? `agent ${sessionId ?? "unnamed"}` : "main",
        kind: isAgent ? "agent" : "main",
        sessionId,
        wire: "openai-responses",
        workingDirectory: null,
        agent: CODEX,
        systemText: meta?.systemText ?? null,
        toolsJson: null,
        entries: tellCodex(lines),
        problems: [],
      };
      return { format: null, contexts: toContexts([conversation], counter), problems };
    },
  };
}
