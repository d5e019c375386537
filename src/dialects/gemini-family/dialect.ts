import type { Dialect } from "../../model/ports.ts";
import { acquire } from "./acquire.ts";
import { changeText } from "./change-text.ts";
import { isFold, isGenuineUser, workingDirectoryOf } from "./texts.ts";

/** How an agent of the family tells itself from the others. */
interface FamilyMember {
  readonly name: string;
  readonly userAgent: RegExp;
  /** Tools that it offers and no other of them. */
  readonly tools: readonly string[];
  /** Words of its system prompt. */
  readonly words: RegExp;
}

/** The dialect of an agent that has the tools of Gemini CLI. */
export function familyDialect({ name, userAgent, tools, words }: FamilyMember): Dialect {
  return {
    name,
    recognises: ({ toolNames, systemTexts }, agent) =>
      (agent !== null && userAgent.test(agent)) ||
      tools.every((tool) => toolNames.includes(tool)) ||
      systemTexts.some((text) => words.test(text)),
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
