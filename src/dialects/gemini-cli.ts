import type { Dialect } from "../model/ports.ts";
import { familyDialect } from "./gemini-family/dialect.ts";

/**
 * Gemini CLI: file content without line numbers, behind a banner where it was cut. The tools are those of google-gemini/gemini-cli
 * (packages/core/src/tools), of every version.
 */
export function createGeminiCliDialect(): Dialect {
  return familyDialect({
    name: "gemini-cli",
    userAgent: /^GeminiCLI\b/i,
    tools: ["read_file", "replace", "run_shell_command"],
    words: /\byou are gemini cli\b/i,
  });
}
