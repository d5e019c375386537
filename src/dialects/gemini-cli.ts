import type { Dialect } from "../model/ports.ts";
import type { RequestHeader } from "../model/transcript.ts";
import { acquire } from "./gemini-family/acquire.ts";
import { changeText } from "./gemini-family/change-text.ts";
import { isFold, isGenuineUser, workingDirectoryOf } from "./gemini-family/texts.ts";

const OWN_TOOLS = ["read_file", "replace", "run_shell_command"];
const OWN_WORDS = /\byou are gemini cli\b/i;

/**
 * Gemini CLI: file content without line numbers, behind a banner where it was cut. The tools are those of google-gemini/gemini-cli
 * (packages/core/src/tools), of every version.
 */
export function createGeminiCliDialect(): Dialect {
  return {
    name: "gemini-cli",
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
  if (userAgent !== null && /^GeminiCLI\b/i.test(userAgent)) return true;
  if (OWN_TOOLS.every((name) => toolNames.includes(name))) return true;
  return systemTexts.some((text) => OWN_WORDS.test(text));
}
