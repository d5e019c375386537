import type { Dialect } from "../model/ports.ts";
import { familyDialect } from "./gemini-family/dialect.ts";

/**
 * Qwen Code: the tools of Gemini CLI with an `edit` of its own, offsets that count from 0, and reads answered as unchanged. The
 * tools are those of QwenLM/qwen-code (packages/core/src/tools).
 */
export function createQwenCodeDialect(): Dialect {
  return familyDialect({
    name: "qwen-code",
    userAgent: /^QwenCode\b/i,
    tools: ["read_file", "edit", "run_shell_command"],
    words: /\byou are qwen code\b/i,
  });
}
