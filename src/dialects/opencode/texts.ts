import { isAbsolutePath } from "../../lib/paths.ts";
import { withoutTags } from "../tagged-text.ts";

/** The client asks this where it folded the history; the summary is the answer behind it. */
const FOLD = "What did we do so far?";

/** How texts begin that the client writes in a person's place. */
const CLIENT_TEXTS = [
  FOLD,
  "The following tool was executed by the user",
  "Attached image(s) from tool result:",
  "Called the Read tool with the following input:",
  "Continue if you have next steps",
  "Summarize the task tool output above and continue with your task.",
  "Provide a detailed prompt for continuing our conversation above",
  "Provide a detailed but concise summary of our conversation above",
];

/** A message typed while the model worked comes inside a reminder. */
const TYPED_MEANWHILE = /^<system-reminder>\s*The user sent the following message:/;
const WORKING_DIRECTORY = /<env>\s[^<]*?Working directory:([^\n]{1,4096})\n/;
const CLIENT_TAGS = ["system-reminder", "file"];

/** True where a person wrote any of the texts; packages/opencode/src/session/message-v2.ts lists the client's own. */
export function isGenuineUser(texts: readonly string[]): boolean {
  return texts.some(isTyped);
}

/** True for the question that stands at the head of a history the client has compacted. */
export function isFold(texts: readonly string[]): boolean {
  return texts.some((text) => text.trim() === FOLD);
}

/** The directory of the environment block. */
export function workingDirectoryOf(texts: readonly string[]): string | null {
  for (const text of texts) {
    const directory = WORKING_DIRECTORY.exec(text)?.[1]?.trim();
    if (directory !== undefined && isAbsolutePath(directory)) return directory;
  }
  return null;
}

function isTyped(text: string): boolean {
  if (TYPED_MEANWHILE.test(text)) return true;
  const rest = withoutTags(text, CLIENT_TAGS).trim();
  return rest !== "" && !CLIENT_TEXTS.some((words) => rest.startsWith(words));
}
