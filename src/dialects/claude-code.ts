import type { Dialect } from "../model/ports.ts";
import type { RequestHeader } from "../model/transcript.ts";
import { acquire } from "./claude-code/acquire.ts";
import { changeText } from "./claude-code/change-text.ts";
import { noticesIn } from "./claude-code/notices.ts";
import { isFold, isGenuineUser, workingDirectoryOf } from "./claude-code/texts.ts";

const OWN_TOOLS = ["Read", "Edit", "Bash"];
const OWN_WORDS = ["You are Claude Code", "Claude Agent SDK"];

/** Claude Code and what is built on its agent SDK, every version that numbers the lines of a file it reads. */
export function createClaudeCodeDialect(): Dialect {
  return {
    name: "claude-code",
    recognises,
    acquire,
    isGenuineUser,
    isFold,
    workingDirectoryOf,
    noticesIn,
    changeText,
    hasShell: (toolNames) => toolNames.includes("Bash"),
    readsThroughShell: false,
  };
}

function recognises(header: RequestHeader, userAgent: string | null): boolean {
  if (userAgent !== null && /^claude-(cli|code)\//i.test(userAgent)) return true;
  if (OWN_TOOLS.every((name) => header.toolNames.includes(name))) return true;
  return header.systemTexts.some((text) => OWN_WORDS.some((words) => text.includes(words)));
}
