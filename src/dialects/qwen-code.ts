import type { Dialect } from "../model/ports.ts";
import type { RequestHeader } from "../model/transcript.ts";
import { acquire } from "./gemini-family/acquire.ts";
import { changeText } from "./gemini-family/change-text.ts";
import { isFold, isGenuineUser, workingDirectoryOf } from "./gemini-family/texts.ts";

const OWN_TOOLS = ["read_file", "edit", "run_shell_command"];
const OWN_WORDS = /\byou are qwen code\b/i;

/**
 * Qwen Code: the tools of Gemini CLI with an `edit` of its own, offsets that count from 0, and reads answered as unchanged. The
 * tools are those of QwenLM/qwen-code (packages/core/src/tools).
 */
export function createQwenCodeDialect(): Dialect {
  return {
    name: "qwen-code",
    recognises,
    acquire,
    isGenuineUser,
    isFold,
    workingDirectoryOf,
    noticesIn: () => [],
    changeText,
    hasShell: (toolNames) => toolNames.includes("run_shell_command"),
    readsThroughShell: false,
    resetsDirectory: true,
  };
}

function recognises({ toolNames, systemTexts }: RequestHeader, userAgent: string | null): boolean {
  if (userAgent !== null && /^QwenCode\b/i.test(userAgent)) return true;
  if (OWN_TOOLS.every((name) => toolNames.includes(name))) return true;
  return systemTexts.some((text) => OWN_WORDS.test(text));
}
