import { z } from "zod";
import { DIALECT_NAMES } from "../dialects/dialect-names.ts";
import { type ValueType, wholeNumber, yamlFromText } from "./value-types.ts";

/** Dialects as stated, by name. */
export type StatedDialectMap = Readonly<Record<string, StatedDialect>>;

/** One dialect as stated. */
export interface StatedDialect {
  readonly extends?: string | undefined;
  readonly recognise?:
    | {
        readonly tools?: readonly string[] | undefined;
        readonly system?: string | undefined;
        readonly user_agent?: string | undefined;
      }
    | undefined;
  readonly reads_through_shell?: boolean | undefined;
  readonly tools: Readonly<Record<string, StatedTool>>;
}

/** One tool as stated. */
export interface StatedTool {
  readonly kind: (typeof KINDS)[number];
  readonly path?: string | readonly string[] | undefined;
  readonly to?: string | readonly string[] | undefined;
  readonly range?: StatedRange | undefined;
  readonly result?: string | undefined;
  readonly command?: string | readonly string[] | undefined;
  readonly success?: string | readonly string[] | undefined;
  readonly failure?: string | readonly string[] | undefined;
  readonly replace?: { readonly from: string; readonly to: string; readonly all?: string | undefined } | undefined;
  readonly content?: string | undefined;
}

/** Range arguments of a tool as stated: those of one form. */
export interface StatedRange {
  readonly offset?: string | undefined;
  readonly limit?: string | undefined;
  readonly first_line?: number | undefined;
  readonly limit_default?: number | undefined;
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly pair?: string | undefined;
}

const KINDS = ["read", "edit", "write", "delete", "rename", "run", "search", "fetch", "other"] as const;
/** What a tool of a kind has beside the words of its answers. */
const MEMBERS: Readonly<Record<StatedTool["kind"], readonly (keyof StatedTool)[]>> = {
  read: ["path", "range", "result"],
  edit: ["path", "replace"],
  write: ["path", "content"],
  delete: ["path"],
  rename: ["path", "to"],
  run: ["command", "result"],
  search: ["command"],
  fetch: ["command"],
  other: [],
};
const COMMON: readonly (keyof StatedTool)[] = ["kind", "success", "failure"];
const NEEDED: Readonly<Record<StatedTool["kind"], readonly (keyof StatedTool)[]>> = {
  ...{ read: ["path"], edit: ["path"], write: ["path"], delete: ["path"], rename: ["path", "to"], run: ["command"] },
  ...{ search: [], fetch: [], other: [] },
};
const COUNTED = ["offset", "limit", "first_line", "limit_default"] as const;
const NAME = /^[a-z0-9][a-z0-9-]*$/;
/** One `N` for the number, and something behind it. */
const ROWS = /^[^N]*N[^N]+$/s;
/** A check of the whole waits until its parts are sound. */
const WHERE_SOUND = { when: (payload: { readonly issues: readonly unknown[] }) => payload.issues.length === 0 };

/** The dialect that every request is read with: `auto`, or a name. */
export function dialectName(): ValueType<string> {
  const expects = "auto or the name of a dialect";
  const schema = z.string({ error: expects }).regex(NAME, { error: expects });
  return { schema, expects, notation: "auto|name", fromText: (given) => given.trim() };
}

/** Dialects by name, each with its tools. */
export function dialectMap(): ValueType<StatedDialectMap> {
  const expects =
    "a map from a name to { extends, recognise: { tools, system, user_agent }, reads_through_shell, tools }";
  const named = "a name of lower-case letters, digits and dashes that no built-in dialect has";
  const isFree = (name: string) => NAME.test(name) && name !== "auto" && !DIALECT_NAMES.some((one) => one === name);
  const schema = z.record(z.string().refine(isFree, { error: named }), dialectSchema(), {
    error: (issue) => (issue.code === "invalid_key" ? named : expects),
  });
  return { schema, expects, notation: "map", fromText: yamlFromText };
}

function dialectSchema(): z.ZodType<StatedDialect> {
  const expects = "{ tools: { NAME: TOOL } }, with extends, recognise or reads_through_shell if needed";
  const some = "a map from the name of a tool to { kind, path, … }, one at least";
  const recognise = "{ tools: [NAME], system: TEXT, user_agent: BEGINNING }, at least one of them";
  return z.strictObject(
    {
      extends: z.enum(DIALECT_NAMES, { error: `one of ${DIALECT_NAMES.join(", ")}` }).optional(),
      recognise: z
        .strictObject(
          {
            tools: z.array(text("a tool's name")).min(1).readonly().optional(),
            system: text("a text").optional(),
            user_agent: text("a text").optional(),
          },
          { error: recognise },
        )
        .refine((stated) => Object.keys(stated).length > 0, { error: recognise, ...WHERE_SOUND })
        .optional(),
      reads_through_shell: z.boolean({ error: "true or false" }).optional(),
      tools: z
        .record(text("a tool's name"), toolSchema(), { error: some })
        .refine((tools) => Object.keys(tools).length > 0, { error: some, ...WHERE_SOUND }),
    },
    { error: expects },
  );
}

function toolSchema(): z.ZodType<StatedTool> {
  const expects = "{ kind, path, range, result, command, to, replace, content, success, failure }";
  const argument = text("the name of an argument");
  const names = texts("the name of an argument, or a list of them");
  const beginnings = texts("the beginning of an answer, or a list of them");
  const result = 'raw, or how a line is numbered with N for the number, such as "N\\t" or "N: "';
  const replace = "{ from: ARGUMENT, to: ARGUMENT, all: ARGUMENT }, all only where there is one";
  return z
    .strictObject(
      {
        kind: z.enum(KINDS, { error: `one of ${KINDS.join(", ")}` }),
        path: names.optional(),
        to: names.optional(),
        range: rangeSchema(argument).optional(),
        result: z
          .union([z.literal("raw"), z.string({ error: result }).regex(ROWS, { error: result })], { error: result })
          .optional(),
        command: names.optional(),
        success: beginnings.optional(),
        failure: beginnings.optional(),
        replace: z
          .strictObject({ from: argument, to: argument, all: argument.optional() }, { error: replace })
          .optional(),
        content: argument.optional(),
      },
      { error: expects },
    )
    .superRefine((tool, context) => {
      const message = faultOf(tool);
      if (message !== null) context.addIssue({ code: "custom", message });
    }, WHERE_SOUND);
}

/** Words for the first thing that a tool of its kind lacks, or cannot have; they complete "expected …". */
function faultOf(tool: StatedTool): string | null {
  const { kind } = tool;
  const missing = NEEDED[kind].find((name) => tool[name] === undefined);
  if (missing !== undefined) return `${missing} beside kind: ${kind}`;
  const given = Object.entries(tool).filter(([, value]) => value !== undefined);
  const extra = given.find(([name]) => ![...COMMON, ...MEMBERS[kind]].some((one) => one === name));
  if (extra !== undefined) return `no ${extra[0]} beside kind: ${kind}`;
  return kind === "run" && tool.result !== undefined && tool.result !== "raw"
    ? "result: raw or none beside kind: run"
    : null;
}

function rangeSchema(argument: z.ZodType<string>): z.ZodType<StatedRange> {
  const expects = "{ offset, limit, first_line, limit_default }, { start, end } or { pair }";
  const first = "0 or 1, the number of the first line";
  return z
    .strictObject(
      {
        offset: argument.optional(),
        limit: argument.optional(),
        first_line: wholeNumber(0, 1, first).optional(),
        limit_default: wholeNumber(1, Number.MAX_SAFE_INTEGER, "a whole number of 1 or more").optional(),
        start: argument.optional(),
        end: argument.optional(),
        pair: argument.optional(),
      },
      { error: expects },
    )
    .refine((range) => isOneForm(range), { error: expects, ...WHERE_SOUND });
}

function isOneForm(range: StatedRange): boolean {
  const has = (name: keyof StatedRange) => range[name] !== undefined;
  const forms = [has("offset") || has("limit"), has("start") || has("end"), has("pair")];
  const isCounted = forms[0] === true || !COUNTED.some(has);
  return forms.filter((one) => one).length === 1 && isCounted;
}

function text(expects: string): z.ZodType<string> {
  return z.string({ error: expects }).min(1, { error: expects });
}

function texts(expects: string): z.ZodType<string | readonly string[]> {
  const one = z.string({ error: expects }).min(1, { error: expects });
  return z.union([one, z.array(one).min(1, { error: expects }).readonly()], { error: expects });
}
