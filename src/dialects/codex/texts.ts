import { isAbsolutePath } from "../../lib/paths.ts";

/** Stands in front of the summary of an earlier history (codex-rs/core/templates/compact/summary_prefix.md). */
const FOLD = "Another language model started to solve this problem and produced a summary of its thinking process.";

/** How texts begin that the client writes in a person's place. */
const CLIENT_TEXTS = [
  FOLD,
  "# AGENTS.md instructions for ",
  "You are performing a CONTEXT CHECKPOINT COMPACTION",
  "Warning: apply_patch was requested via ",
  "Warning: The maximum number of unified exec processes",
];

/** Elements that are the whole of a text of the client's own. */
const CLIENT_TAGS =
  /^<(?:environment_context|user_instructions|permissions instructions|turn_aborted|user_shell_command|skill|skills_instructions|subagent_notification|collaboration_mode|personality_spec|model_switch|hook_prompt|INSTRUCTIONS|tools|plugins_instructions|apps_instructions|goal_context)\b/;

const WORKING_DIRECTORY =
  /<environment_context>[\s\S]{0,2000}?(?:<cwd>([^<]{1,4096})<\/cwd>|Current working directory:([^\n]{1,4096})\n)/;

/** True where a person wrote any of the texts. */
export function isGenuineUser(texts: readonly string[]): boolean {
  return texts.some((text) => {
    const words = text.trim();
    return words !== "" && !CLIENT_TAGS.test(words) && !CLIENT_TEXTS.some((own) => words.startsWith(own));
  });
}

/** True for the summary that stands behind the messages a compaction kept. */
export function isFold(texts: readonly string[]): boolean {
  return texts.some((text) => text.trimStart().startsWith(FOLD));
}

/** The directory of the first environment block. */
export function workingDirectoryOf(texts: readonly string[]): string | null {
  for (const text of texts) {
    const [, tagged, stated] = WORKING_DIRECTORY.exec(text) ?? [];
    const directory = (tagged ?? stated)?.trim();
    if (directory !== undefined && isAbsolutePath(directory)) return directory;
  }
  return null;
}
