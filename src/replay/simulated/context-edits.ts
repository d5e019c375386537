import { z } from "zod";
import type { JsonObject } from "../../model/json.ts";
import { isObject } from "./json.ts";
import { invalid, type Refusal } from "./refusal.ts";

/** Something a request asks the provider to clear by itself. */
export type ContextEdit =
  | {
      readonly kind: "thinking";
      /** The newest turns with thinking that keep it; null: all. Left out: what the model does unasked. */
      readonly keepTurns?: number | null;
    }
  | {
      readonly kind: "tool-uses";
      readonly trigger: { readonly of: "tokens" | "uses"; readonly over: number };
      readonly keepUses: number;
      /** Clears nothing where it would clear less. */
      readonly clearTokensMin: number;
      readonly exceptTools: readonly string[];
      /** Tools whose arguments are cleared with their results. */
      readonly inputsOf: "none" | "all" | readonly string[];
    };

const TRIGGER_TOKENS_DEFAULT = 100_000;
const KEEP_USES_DEFAULT = 3;

/** The edits of a request's `context_management`, in order; none where it has none that can be read. */
export function contextEditsOf(request: JsonObject): readonly ContextEdit[] {
  const parsed = managementSchema.safeParse(request.context_management);
  return parsed.success ? (parsed.data.edits ?? []).map(editOf) : [];
}

/** What is wrong with a request's `context_management`; null when nothing is. */
export function refuseContextEdits(
  request: JsonObject,
  rules: { readonly isOn: boolean; readonly thinksUnasked: boolean },
): Refusal | null {
  const asked = request.context_management;
  if (asked === undefined || asked === null) return null;
  if (!rules.isOn) return invalid("context_management: Extra inputs are not permitted");
  const parsed = managementSchema.safeParse(asked);
  if (!parsed.success) return invalid(wordsOf(parsed.error.issues));
  const places = (parsed.data.edits ?? []).map((edit, index) => ({ type: edit.type, index }));
  const thinking = places.filter(({ type }) => type === "clear_thinking_20251015");
  if (thinking.some(({ index }) => index > 0)) {
    return invalid("context_management.edits: `clear_thinking_20251015` must be the first edit in the list");
  }
  if (thinking.length === 0 || isThinkingOn(request, rules.thinksUnasked)) return null;
  return invalid("`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive");
}

function isThinkingOn(request: JsonObject, thinksUnasked: boolean): boolean {
  return isObject(request.thinking) ? request.thinking.type !== "disabled" : thinksUnasked;
}

const WHOLE = "Input should be a valid integer";
const count = (least: number) =>
  z.int({ error: WHOLE }).min(least, { error: `Input should be greater than or equal to ${least}` });
const strict = { error: "Input should be a valid dictionary" };
const inputTokens = (least: number) => z.strictObject({ type: z.literal("input_tokens"), value: count(least) }, strict);
const toolUses = (least: number) => z.strictObject({ type: z.literal("tool_uses"), value: count(least) }, strict);
const names = z.array(z.string({ error: "Input should be a valid string" }), { error: "Input should be a valid list" });

const toolUsesSchema = z.strictObject({
  type: z.literal("clear_tool_uses_20250919"),
  trigger: z
    .discriminatedUnion("type", [inputTokens(1), toolUses(1)], {
      error: "Input should be { type: 'input_tokens' or 'tool_uses', value }",
    })
    .nullish(),
  keep: toolUses(0).nullish(),
  clear_at_least: inputTokens(0).nullish(),
  exclude_tools: names.nullish(),
  clear_tool_inputs: z.union([z.boolean(), names], { error: "Input should be a valid boolean or list" }).nullish(),
});
const thinkingSchema = z.strictObject({
  type: z.literal("clear_thinking_20251015"),
  keep: z
    .union(
      [
        z.literal("all"),
        z.strictObject({ type: z.literal("all") }),
        z.strictObject({ type: z.literal("thinking_turns"), value: count(1) }),
      ],
      { error: "Input should be 'all' or { type: 'thinking_turns', value } of at least 1" },
    )
    .nullish(),
});
const managementSchema = z.strictObject(
  {
    edits: z
      .array(
        z.discriminatedUnion("type", [toolUsesSchema, thinkingSchema], {
          error: "Input tag found using 'type' does not match any of the expected tags",
        }),
        { error: "Input should be a valid list" },
      )
      .nullish(),
  },
  strict,
);

type ParsedEdit = z.infer<typeof toolUsesSchema> | z.infer<typeof thinkingSchema>;

function editOf(edit: ParsedEdit): ContextEdit {
  if (edit.type === "clear_thinking_20251015") {
    if (edit.keep === undefined || edit.keep === null) return { kind: "thinking" };
    return { kind: "thinking", keepTurns: edit.keep === "all" || edit.keep.type === "all" ? null : edit.keep.value };
  }
  const inputs = edit.clear_tool_inputs ?? false;
  return {
    kind: "tool-uses",
    trigger: {
      of: edit.trigger?.type === "tool_uses" ? "uses" : "tokens",
      over: edit.trigger?.value ?? TRIGGER_TOKENS_DEFAULT,
    },
    keepUses: edit.keep?.value ?? KEEP_USES_DEFAULT,
    clearTokensMin: edit.clear_at_least?.value ?? 0,
    exceptTools: edit.exclude_tools ?? [],
    inputsOf: inputs === true ? "all" : inputs === false ? "none" : inputs,
  };
}

function wordsOf(issues: readonly z.core.$ZodIssue[]): string {
  const [issue] = issues;
  if (issue === undefined) return "context_management: Input should be a valid dictionary";
  const path = ["context_management", ...issue.path.map(String)];
  if (issue.code !== "unrecognized_keys") return `${path.join(".")}: ${issue.message}`;
  return `${[...path, issue.keys[0] ?? ""].join(".")}: Extra inputs are not permitted`;
}
