import { z } from "zod";
import type { JsonObject } from "../../model/json.ts";

/** A tool call to make: by exact name, or as an intent that becomes whichever such tool the request offers. */
export type StepTool =
  | { readonly name: string; readonly input?: JsonObject | undefined }
  | {
      readonly do: "read";
      readonly path: string;
      /** First line, from 1. */
      readonly offset?: number | undefined;
      readonly limit?: number | undefined;
    }
  | { readonly do: "write"; readonly path: string; readonly content: string }
  | { readonly do: "edit"; readonly path: string; readonly old: string; readonly new: string }
  | { readonly do: "bash"; readonly command: string }
  /** `tool` is the tool's own name, without the prefix the client puts before it. */
  | { readonly do: "mcp"; readonly tool: string; readonly input?: JsonObject | undefined };

/** One model answer. A step without tools ends the turn; the next user message plays the step after it. */
export interface ScriptStep {
  readonly thinking?: string | undefined;
  readonly text?: string | undefined;
  readonly tools?: readonly StepTool[] | undefined;
  /** Moves the provider's clock forward once the answer was sent whole. */
  readonly advanceMs?: number | undefined;
}

export interface Script {
  /** Regular expression on the first genuine user text of the conversation; "" matches all. */
  readonly match: string;
  readonly steps: readonly ScriptStep[];
}

/** What the simulated model says. The first script that matches a conversation is played. */
export interface Scenario {
  readonly scripts: readonly Script[];
  /** Folder that relative paths of intents are resolved in; without it, the one that the request itself states. */
  readonly workdir?: string | undefined;
}

export type ParsedScenario =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly words: string };

/** Checks a scenario read from outside; the words name the place, what was expected and what came. */
export function parseScenario(value: unknown): ParsedScenario {
  const parsed = scenarioSchema.safeParse(value);
  return parsed.success ? { ok: true, scenario: parsed.data } : { ok: false, words: z.prettifyError(parsed.error) };
}

/** What is played when nobody gives a scenario: one answer in text. */
export const defaultScenario: Scenario = {
  scripts: [{ match: "", steps: [{ text: "This is the simulated provider. No script was given." }] }],
};

const jsonObject = z.record(z.string(), z.json());
const toolSchema = z.union([
  z.strictObject({ name: z.string().min(1), input: jsonObject.optional() }),
  z.strictObject({
    do: z.literal("read"),
    path: z.string().min(1),
    offset: z.int().positive().optional(),
    limit: z.int().positive().optional(),
  }),
  z.strictObject({ do: z.literal("write"), path: z.string().min(1), content: z.string() }),
  z.strictObject({ do: z.literal("edit"), path: z.string().min(1), old: z.string(), new: z.string() }),
  z.strictObject({ do: z.literal("bash"), command: z.string().min(1) }),
  z.strictObject({ do: z.literal("mcp"), tool: z.string().min(1), input: jsonObject.optional() }),
]);
const stepSchema = z.strictObject({
  thinking: z.string().min(1).optional(),
  text: z.string().min(1).optional(),
  tools: z.array(toolSchema).optional(),
  advanceMs: z.number().nonnegative().optional(),
});
const scenarioSchema = z.strictObject({
  scripts: z.array(
    z.strictObject({
      match: z.string().refine(isPattern, "expected a regular expression"),
      steps: z.array(stepSchema).min(1),
    }),
  ),
  workdir: z.string().min(1).optional(),
});

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, "s") instanceof RegExp;
  } catch {
    return false;
  }
}
