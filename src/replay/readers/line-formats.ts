import { claudeCodeFormat } from "./claude-code.ts";
import { codexFormat } from "./codex.ts";
import { copilotCliFormat } from "./copilot-cli.ts";
import { geminiCliLines } from "./gemini-cli.ts";
import type { LineFormat } from "./log-collector.ts";
import { piFormat } from "./pi.ts";
import { requestLines } from "./requests.ts";

/** Logs that are read line by line; the first that knows a line reads the file. */
export const LINE_FORMATS: readonly LineFormat[] = [
  claudeCodeFormat,
  codexFormat,
  copilotCliFormat,
  piFormat,
  geminiCliLines,
  requestLines,
];
