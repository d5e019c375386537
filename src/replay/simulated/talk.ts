import type { JsonObject, JsonValue } from "../../model/json.ts";

/** A tool that a request offers. */
export interface OfferedTool {
  readonly name: string;
  /** Name of the group it stands in; null for none. */
  readonly group: string | null;
  /** Schema of its arguments; null where it states none. */
  readonly schema: JsonValue;
  /** What a call of it holds: arguments, one text, or a command of a shell. */
  readonly form: "arguments" | "text" | "shell";
}

/** What one request says, whatever API it is for. */
export interface Talk {
  /** What a person wrote first. */
  readonly firstSpoken: string;
  /** What a person wrote last. */
  readonly lastSpoken: string;
  /** Model answers that the request already holds. */
  readonly stepCount: number;
  readonly tools: readonly OfferedTool[];
  /** Working directory that the request states; null for none. */
  readonly workdir: string | null;
  /** The conversation, in which addresses of markers are looked for. */
  readonly history: JsonValue;
  /** Schema that the answer must follow; null where it is free. */
  readonly answerSchema: JsonObject | null;
}

const HARNESS_NOTE =
  /^\s*(?:<(?:system-reminder|local-command|command-|environment_context|user_instructions|permissions|session_context)|This is the Gemini CLI\.)/;
const WORKDIRS: readonly RegExp[] = [
  /(?:^|\n)\s*(?:-\s*)?(?:Primary |Current )?working directory: *([^\n]+)/i,
  /<cwd>([^<\n]+)<\/cwd>/,
  /working in the directory: *([^\n]+)/i,
  /workspace directories:\**\s*\n\s*-\s*([^\n]+)/i,
];

/** What a person wrote first in these texts of user messages: harness notes in tags are not theirs, unless there is nothing else. */
export function firstSpokenIn(userTexts: readonly (readonly string[])[]): string {
  const genuine = userTexts.map(genuineOf).find((texts) => texts.length > 0);
  return (genuine ?? userTexts[0] ?? []).join("\n");
}

/** What a person wrote last in these texts of user messages. */
export function lastSpokenIn(userTexts: readonly (readonly string[])[]): string {
  return (userTexts.map(genuineOf).findLast((texts) => texts.length > 0) ?? []).join("\n");
}

/** The working directory that one of these texts states; null where none does. */
export function workdirIn(texts: readonly string[]): string | null {
  for (const text of texts) {
    for (const pattern of WORKDIRS) {
      const path = pattern.exec(text)?.[1]?.trim();
      if (path !== undefined && path !== "") return path;
    }
  }
  return null;
}

/** Runs of neighbours that are the model's: each is one answer. */
export function countRuns(isModels: readonly boolean[]): number {
  return isModels.filter((isModel, index) => isModel && isModels[index - 1] !== true).length;
}

function genuineOf(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => !HARNESS_NOTE.test(text));
}
