import { isAbsolutePath } from "../../lib/paths.ts";
import { withoutTags } from "../tagged-text.ts";

/** Begins the client's own summary of an earlier history. */
const FOLD = "<state_snapshot>";

const CLIENT_TAGS = ["session_context", "system-reminder", "hook_context"];

/** How texts begin that the client writes in a person's place. */
const CLIENT_TEXTS = [
  FOLD,
  "This is the Gemini CLI. We are setting up the context for our chat.",
  "This is the Qwen Code. We are setting up the context for our chat.",
  "Here is the user's editor context",
  "System: Please continue.",
  "Please continue.",
  "--- Content from referenced files ---",
  "First, reason in your scratchpad. Then, generate the",
];

const ONE_DIRECTORY = /^I'm currently working in the directory:([^\n]{1,4096})$/m;
/** A list of one. */
const LISTED_DIRECTORY = /^- \*\*Workspace Directories:\*\*\n {2}- ([^\n]{1,4096})\n(?! {2}- )/m;

/** True where a person wrote any of the texts. */
export function isGenuineUser(texts: readonly string[]): boolean {
  return texts.some((text) => {
    const words = withoutTags(text, CLIENT_TAGS).trim();
    return words !== "" && !CLIENT_TEXTS.some((own) => words.startsWith(own));
  });
}

/** True for the snapshot that stands at the head of a history the client has compressed. */
export function isFold(texts: readonly string[]): boolean {
  return texts.some((text) => text.trimStart().startsWith(FOLD));
}

/** The working directory of the client's opening text, where it states one and not several. */
export function workingDirectoryOf(texts: readonly string[]): string | null {
  for (const text of texts) {
    const directory = (ONE_DIRECTORY.exec(text) ?? LISTED_DIRECTORY.exec(text))?.[1]?.trim();
    if (directory !== undefined && isAbsolutePath(directory)) return directory;
  }
  return null;
}
