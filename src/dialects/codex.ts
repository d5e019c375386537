import type { ChangeText } from "../model/acquisition.ts";
import type { CallItem } from "../model/item.ts";
import type { Dialect } from "../model/ports.ts";
import type { RequestHeader } from "../model/transcript.ts";
import { acquire, patchOf } from "./codex/acquire.ts";
import { isFold, isGenuineUser, workingDirectoryOf } from "./codex/texts.ts";
import { patchedFilesIn, patchText } from "./patch-envelope.ts";

const SHELLS = ["exec_command", "shell", "shell_command", "local_shell", "container.exec"];
const OWN_WORDS = /\byou are codex\b|\bin the codex cli\b/i;

/**
 * Codex: one shell that reads, searches and tests, and patches in an envelope. The tools are those of openai/codex
 * (codex-rs/core/src/tools/handlers), of every version that ran a shell.
 */
export function createCodexDialect(): Dialect {
  return {
    name: "codex",
    recognises,
    acquire,
    isGenuineUser,
    isFold,
    workingDirectoryOf,
    noticesIn: () => [],
    changeText,
    hasShell: (toolNames) => SHELLS.some((name) => toolNames.includes(name)),
    readsThroughShell: true,
    resetsDirectory: true,
  };
}

function recognises({ toolNames, systemTexts }: RequestHeader, userAgent: string | null): boolean {
  if (userAgent !== null && /^codex[_-]/i.test(userAgent)) return true;
  const has = (name: string) => toolNames.includes(name);
  if (has("exec_command") && has("write_stdin")) return true;
  if (SHELLS.some(has) && (has("apply_patch") || has("update_plan")) && !has("read")) return true;
  return systemTexts.some((text) => OWN_WORDS.test(text.slice(0, 1_000)));
}

function changeText({ name, input }: CallItem): ChangeText | null {
  return name === "apply_patch" ? patchText(patchedFilesIn(patchOf(input))) : null;
}
