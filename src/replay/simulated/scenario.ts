import { z } from "zod";
import type { JsonObject } from "../../model/json.ts";
import { CACHE_EDIT_SHAPE, type CacheEditShape } from "./cache-edits.ts";
import { type Checked, checked } from "./checked.ts";

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

/** A shape of cache edits in which any part may be left out. */
export type CacheEditNames = { readonly [Part in keyof CacheEditShape]?: CacheEditShape[Part] | undefined };

/** What the simulated model says, and what its provider does. The first script that matches a conversation is played. */
export interface Scenario {
  readonly scripts: readonly Script[];
  /** Folder that relative paths of intents are resolved in; without it, the one that the request itself states. */
  readonly workdir?: string | undefined;
  /** Requests may delete from the cached prefix, in this shape; left out: they may not. */
  readonly cacheEdits?: CacheEditNames | undefined;
  /** False: an older account, which refuses thinking bound to other content only where the request asks for it. */
  readonly enforces?: boolean | undefined;
  /** Longest prompt in tokens, in place of the model's. */
  readonly windowTokens?: number | undefined;
  /** The provider never tells what its cache did: it reports nothing, or null, and the whole prompt as plain input. */
  readonly cacheFigures?: "zero" | "null" | undefined;
  /** Gemini: answers carry thought signatures and requests must bring them back; left out: as the model does. */
  readonly thoughtSignatures?: boolean | undefined;
  /** Chat Completions: thinking is told as `reasoning_content`, as compatible servers do; left out: it is not. */
  readonly reasoningContent?: boolean | undefined;
}

/** The shape of a scenario's cache edits; null where it has none. */
export function cacheEditsOf({ cacheEdits }: Scenario): CacheEditShape | null {
  if (cacheEdits === undefined) return null;
  const { blockType, editsMember, deleteType, referenceMember, needsTextBehind, betaHeader } = cacheEdits;
  return {
    blockType: blockType ?? CACHE_EDIT_SHAPE.blockType,
    editsMember: editsMember ?? CACHE_EDIT_SHAPE.editsMember,
    deleteType: deleteType ?? CACHE_EDIT_SHAPE.deleteType,
    referenceMember: referenceMember ?? CACHE_EDIT_SHAPE.referenceMember,
    needsTextBehind: needsTextBehind ?? CACHE_EDIT_SHAPE.needsTextBehind,
    betaHeader: betaHeader === undefined ? CACHE_EDIT_SHAPE.betaHeader : betaHeader,
  };
}

/** Checks a scenario read from outside. */
export function parseScenario(value: unknown): Checked<Scenario> {
  return checked(scenarioSchema, value);
}

/** What is played when nobody gives a scenario: one answer in text. */
export const defaultScenario: Scenario = {
  scripts: [{ match: "", steps: [{ text: "This is the simulated provider. No script was given." }] }],
};

const TOOL = "a call { name, input } or an intent { do, … }";
const INTENTS = "one of read, write, edit, bash, mcp";
const STEP = "a step { thinking, text, tools, advanceMs }";
const MILLISECONDS = "milliseconds of at least 0";
const STEPS = "a list of at least one step";

const jsonObject = z.record(z.string(), z.json(), { error: "a JSON object" });
const someText = filled("a text that is not empty");
const anyText = z.string({ error: "a text" });
const lineNumber = z.int({ error: "a whole number from 1" }).positive({ error: "a whole number from 1" });
const intentSchema = z.discriminatedUnion(
  "do",
  [
    z.strictObject({
      do: z.literal("read"),
      path: someText,
      offset: lineNumber.optional(),
      limit: lineNumber.optional(),
    }),
    z.strictObject({ do: z.literal("write"), path: someText, content: anyText }),
    z.strictObject({ do: z.literal("edit"), path: someText, old: anyText, new: anyText }),
    z.strictObject({ do: z.literal("bash"), command: someText }),
    z.strictObject({ do: z.literal("mcp"), tool: someText, input: jsonObject.optional() }),
  ],
  { error: INTENTS },
);
const callSchema = z.strictObject({ name: someText, input: jsonObject.optional() }, { error: TOOL });
const toolSchema = z.union([intentSchema, callSchema], { error: TOOL });
const stepSchema = z.strictObject(
  {
    thinking: someText.optional(),
    text: someText.optional(),
    tools: z.array(toolSchema, { error: "a list of tools" }).optional(),
    advanceMs: z.number({ error: MILLISECONDS }).nonnegative({ error: MILLISECONDS }).optional(),
  },
  { error: STEP },
);
const scriptSchema = z.strictObject(
  {
    match: z.string({ error: "a regular expression" }).refine(isPattern, { error: "a regular expression" }),
    steps: z.array(stepSchema, { error: STEPS }).min(1, { error: STEPS }),
  },
  { error: "a script { match, steps }" },
);
const name = filled("a name that is not empty").optional();
const cacheEditsSchema = z.strictObject(
  {
    blockType: name,
    editsMember: name,
    deleteType: name,
    referenceMember: name,
    needsTextBehind: z.boolean({ error: "true or false" }).optional(),
    betaHeader: name.nullable(),
  },
  { error: "a shape { blockType, editsMember, deleteType, referenceMember, needsTextBehind, betaHeader }" },
);
const scenarioSchema = z.strictObject(
  {
    scripts: z.array(scriptSchema, { error: "a list of scripts" }),
    workdir: filled("a folder").optional(),
    cacheEdits: cacheEditsSchema.optional(),
    enforces: z.boolean({ error: "true or false" }).optional(),
    windowTokens: lineNumber.optional(),
    cacheFigures: z.enum(["zero", "null"], { error: '"zero" or "null"' }).optional(),
    thoughtSignatures: z.boolean({ error: "true or false" }).optional(),
    reasoningContent: z.boolean({ error: "true or false" }).optional(),
  },
  { error: "a scenario { scripts, workdir, cacheEdits, enforces, windowTokens, cacheFigures, … }" },
);

function filled(what: string): z.ZodType<string> {
  return z.string({ error: what }).min(1, { error: what });
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, "s") instanceof RegExp;
  } catch {
    return false;
  }
}
