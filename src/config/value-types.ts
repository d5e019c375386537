import { parse } from "yaml";
import { z } from "zod";
import type { ToolKind } from "../model/acquisition.ts";

/** What values an option takes: the check, its words for people, and how a flag or environment text becomes one. */
export interface ValueType<T> {
  readonly schema: z.ZodType<T>;
  /** Completes the sentence "expected …". */
  readonly expects: string;
  /** What stands for a value in the notation of a flag, between `<` and `>`. */
  readonly notation: string;
  /** A value still to be checked by `schema`. */
  fromText(text: string): unknown;
}

/** A whole number from `min` to `max`, both allowed. */
export function integer(min: number, max: number = Number.MAX_SAFE_INTEGER): ValueType<number> {
  const expects =
    max === Number.MAX_SAFE_INTEGER ? `a whole number of ${min} or more` : `a whole number from ${min} to ${max}`;
  return { schema: wholeNumber(min, max, expects), expects, notation: "number", fromText: numberFromText };
}

/** A number of at least `min`, with or without a fraction. */
export function amount(min: number): ValueType<number> {
  const expects = `a number of ${min} or more`;
  const schema = z.number({ error: expects }).min(min, { error: expects });
  return { schema, expects, notation: "number", fromText: numberFromText };
}

/** A whole number of at least `min`, or nothing stated. */
export function optionalInteger(min: number): ValueType<number | null> {
  const { schema, ...type } = integer(min);
  return { ...type, schema: schema.nullable() };
}

/** `true` or `false`. */
export function truth(): ValueType<boolean> {
  const expects = "true or false";
  return { schema: z.boolean({ error: expects }), expects, notation: "true|false", fromText: truthFromText };
}

/** One of the named values. */
export function choice<const T extends string>(names: readonly [T, ...T[]]): ValueType<T> {
  const expects = names.length === 1 ? names[0] : `one of ${names.join(", ")}`;
  return { schema: z.enum(names, { error: expects }), expects, notation: names.join("|"), fromText: (text) => text };
}

/** A text that is not empty; `what` names it in messages. */
export function text(what: string, notation: string): ValueType<string> {
  const schema = z.string({ error: what }).trim().min(1, { error: what });
  return { schema, expects: what, notation, fromText: (given) => given };
}

/** A text that may be absent: null stands for the default that `what` describes. */
export function optionalText(what: string, notation: string): ValueType<string | null> {
  const given = text(what, notation);
  return { ...given, schema: given.schema.nullable() };
}

/** A list of texts; a flag or environment text separates them with commas. */
export function texts(what: string): ValueType<readonly string[]> {
  const schema = z.array(z.string({ error: what }).min(1, { error: what }), { error: what }).readonly();
  return { schema, expects: what, notation: "list", fromText: listFromText };
}

/** A list without repetition of the named values, or null where none is stated. */
export function optionalChoices<const T extends string>(names: readonly [T, ...T[]]): ValueType<readonly T[] | null> {
  const expects = `a list of different names out of ${names.join(", ")}`;
  const schema = z
    .array(z.enum(names, { error: `one of ${names.join(", ")}` }), { error: expects })
    .refine((list) => new Set(list).size === list.length, { error: expects })
    .readonly()
    .nullable();
  return { schema, expects, notation: "list", fromText: listFromText };
}

/** An http or https address without user name, password, query or fragment; a trailing slash is dropped. */
export function httpAddress(): ValueType<string> {
  const expects = "an http or https address without user name, password, query or fragment";
  const schema = z
    .string({ error: expects })
    .refine(isPlainHttpAddress, { error: expects })
    .transform((given) => given.replace(/\/+$/, ""));
  return { schema, expects, notation: "url", fromText: (given) => given };
}

/** The size bound as stated: `off`, or a pair, or overrides by tool name, or both. */
export type StatedBound =
  | "off"
  | {
      readonly lines?: number | undefined;
      readonly bytes?: number | undefined;
      readonly tools?: Readonly<Record<string, { readonly lines: number; readonly bytes: number }>> | undefined;
    };

/** The size bound: one pair, or `off`. Lines and bytes are stated together, so that half a pair never surprises. */
export function sizeBound(): ValueType<StatedBound> {
  const expects = "off, or { lines: N, bytes: N } with an optional tools: { NAME: { lines: N, bytes: N } }";
  const limit = wholeNumber(1, Number.MAX_SAFE_INTEGER, "a whole number of 1 or more");
  const override = z.strictObject({ lines: limit, bytes: limit }, { error: "{ lines: N, bytes: N }" });
  const stated = z
    .strictObject({
      lines: limit.optional(),
      bytes: limit.optional(),
      tools: z.record(z.string(), override, { error: "a map from tool name to { lines: N, bytes: N }" }).optional(),
    })
    .refine((bound) => (bound.lines === undefined) === (bound.bytes === undefined), {
      error: "lines and bytes together, or neither",
      when: (payload) => payload.issues.length === 0,
    });
  return {
    schema: z.union([z.literal("off"), stated], { error: expects }),
    expects,
    notation: "off|pair",
    fromText: boundFromText,
  };
}

/** One configured lifetime as stated. */
export interface StatedLifetime {
  readonly tools?: readonly string[] | undefined;
  readonly kinds?: readonly ToolKind[] | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly media?: "image" | "document" | undefined;
  readonly turns?: number | undefined;
  readonly steps?: number | undefined;
}

/** The media budget as stated: `off`, or what takes the place of the provider's limits. */
export type StatedMediaBudget =
  | "off"
  | { readonly bytes_max?: number | undefined; readonly images_max?: number | undefined };

/** What one request may hold; what is left out is the provider's limit. */
export function mediaBudget(): ValueType<StatedMediaBudget> {
  const expects = "off, or { bytes_max: N, images_max: N }";
  const limit = wholeNumber(1, Number.MAX_SAFE_INTEGER, "a whole number of 1 or more");
  const stated = z.strictObject({ bytes_max: limit.optional(), images_max: limit.optional() });
  return {
    schema: z.union([z.literal("off"), stated], { error: expects }),
    expects,
    notation: "off|budget",
    fromText: boundFromText,
  };
}

const TOOL_KINDS = ["read", "edit", "write", "delete", "rename", "run", "search", "fetch", "other"] as const;

/** Lifetimes by tool, kind and path; each states turns or steps. */
export function lifetimeList(): ValueType<readonly StatedLifetime[]> {
  const one = "{ tools: [NAME], kinds: [KIND], paths: [GLOB], media: image or document, turns: N or steps: N }";
  const expects = `a list of ${one}`;
  const count = wholeNumber(0, Number.MAX_SAFE_INTEGER, "a whole number of 0 or more");
  const names = (what: string) =>
    z.array(z.string({ error: what }).min(1, { error: what }), { error: what }).readonly();
  const rule = z
    .strictObject(
      {
        tools: names("a list of tool names").optional(),
        kinds: z
          .array(z.enum(TOOL_KINDS, { error: `one of ${TOOL_KINDS.join(", ")}` }), { error: "a list of kinds" })
          .readonly()
          .optional(),
        paths: names("a list of path globs").optional(),
        media: z.enum(["image", "document"], { error: "image or document" }).optional(),
        turns: count.optional(),
        steps: count.optional(),
      },
      { error: one },
    )
    .refine(({ turns, steps }) => (turns === undefined) !== (steps === undefined), {
      error: "either turns or steps",
      when: (payload) => payload.issues.length === 0,
    });
  return { schema: z.array(rule, { error: expects }).readonly(), expects, notation: "list", fromText: yamlFromText };
}

/** A value written as YAML; the text itself where it is none. */
export function yamlFromText(given: string): unknown {
  try {
    return parse(given);
  } catch {
    return given;
  }
}

/** The check of a whole number from `min` to `max`; `expects` completes "expected …". */
export function wholeNumber(min: number, max: number, expects: string): z.ZodType<number> {
  return z.int({ error: expects }).min(min, { error: expects }).max(max, { error: expects });
}

function numberFromText(given: string): unknown {
  return /^-?\d+$/.test(given.trim()) ? Number(given) : given;
}

function truthFromText(given: string): unknown {
  if (given === "true" || given === "1") return true;
  return given === "false" || given === "0" ? false : given;
}

function listFromText(given: string): unknown {
  return given
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function boundFromText(given: string): unknown {
  if (!given.includes("{")) return given.trim();
  try {
    return parse(given, { logLevel: "silent" });
  } catch {
    return given;
  }
}

function isPlainHttpAddress(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const url = new URL(given);
  const isPlain = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  return isPlain && (url.protocol === "http:" || url.protocol === "https:");
}
