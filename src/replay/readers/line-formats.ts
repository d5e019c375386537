import { claudeCodeFormat } from "./claude-code.ts";
import { codexFormat } from "./codex.ts";
import { copilotCliFormat } from "./copilot-cli.ts";
import { geminiCliLines } from "./gemini-cli.ts";
import type { LineFormat } from "./log-collector.ts";
import { piFormat } from "./pi.ts";
import { requestLines } from "./requests.ts";
import { AGENT_FORMATS } from "./whole-formats.ts";

/** Logs that are read line by line; the first that knows a line reads the file. */
export const LINE_FORMATS: readonly LineFormat[] = [
  claudeCodeFormat,
  codexFormat,
  copilotCliFormat,
  piFormat,
  geminiCliLines,
  // An agent's log on one line may look like a request.
  {
    ...requestLines,
    knows: (value) => requestLines.knows(value) && !AGENT_FORMATS.some((format) => format.knows(value)),
  },
];
