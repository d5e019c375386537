/** Names of the dialects Ebb knows by itself. */
export const DIALECT_NAMES = [
  "opencode",
  "codex",
  "gemini-cli",
  "qwen-code",
  "claude-code",
  "pi",
  "cline",
  "roo",
  "vscode-copilot",
  "copilot-cli",
  "openhands",
  "swe-agent",
  "mini-swe-agent",
  "cursor",
  "langchain",
  "mcp-files",
  "text-editor",
  "generic",
] as const;

/** Name of a dialect Ebb knows by itself. */
export type DialectName = (typeof DIALECT_NAMES)[number];
