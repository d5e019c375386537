import type { JsonObject } from "../../model/json.ts";
import { isThinking } from "./content.ts";
import type { ContextEdit } from "./context-edits.ts";
import type { Entry } from "./entries.ts";
import { stringOf } from "./json.ts";

/** What the provider cleared by itself from one prompt. */
export type Clearing =
  | { readonly kind: "thinking"; readonly turns: number; readonly tokens: number }
  | { readonly kind: "tool-uses"; readonly uses: number; readonly tokens: number };

/** A block of the prompt and its tokens; none for what is no longer part of the prompt. */
export interface MeasuredEntry extends Entry {
  readonly tokens: number;
}

/** A prompt after the provider cleared what it was asked to. */
export interface Cleared {
  readonly entries: readonly MeasuredEntry[];
  readonly clearings: readonly Clearing[];
}

/** Text that stands where a result was cleared. */
export const CLEARED_RESULT = "[Result cleared by the provider]";

/**
 * Applies a request's edits in their order. Each request is judged by itself: nothing of an earlier clearing is
 * remembered. A result that the placeholder would not make shorter stays.
 */
export function clearEntries(
  entries: readonly MeasuredEntry[],
  edits: readonly ContextEdit[],
  parts: { readonly keepsThinking: boolean; measure(block: JsonObject): number },
): Cleared {
  let left = entries;
  const clearings: Clearing[] = [];
  for (const edit of edits) {
    const cleared =
      edit.kind === "thinking"
        ? clearThinking(left, edit.keepTurns === undefined ? keptUnasked(parts.keepsThinking) : edit.keepTurns)
        : clearToolUses(left, edit, parts.measure);
    if (cleared === null) continue;
    left = cleared.entries;
    clearings.push(...cleared.clearings);
  }
  return { entries: left, clearings };
}

function keptUnasked(keepsThinking: boolean): number | null {
  return keepsThinking ? null : 1;
}

function clearThinking(entries: readonly MeasuredEntry[], keepTurns: number | null): Cleared | null {
  if (keepTurns === null) return null;
  const turns = [...new Set(entries.filter(({ block }) => isThinking(block)).map(({ turn }) => turn))];
  const gone = new Set(turns.slice(0, Math.max(0, turns.length - keepTurns)));
  if (gone.size === 0) return null;
  const left = entries.filter(({ block, turn }) => !(isThinking(block) && gone.has(turn)));
  const tokens = sumOf(entries) - sumOf(left);
  return { entries: left, clearings: [{ kind: "thinking", turns: gone.size, tokens }] };
}

type ClearToolUses = Extract<ContextEdit, { readonly kind: "tool-uses" }>;

function clearToolUses(
  entries: readonly MeasuredEntry[],
  edit: ClearToolUses,
  measure: (block: JsonObject) => number,
): Cleared | null {
  const total = sumOf(entries);
  const uses = entries.filter(({ block }) => block.type === "tool_use").map(({ block }) => block);
  if ((edit.trigger.of === "tokens" ? total : uses.length) <= edit.trigger.over) return null;
  const old = uses.slice(0, Math.max(0, uses.length - edit.keepUses));
  const clearable = old.filter((use) => !edit.exceptTools.includes(stringOf(use.name)));
  const shorter = shortenedResults(entries, new Set(clearable.map((use) => stringOf(use.id))), measure);
  const cleared = new Set([...shorter.keys()].map(({ block }) => stringOf(block.tool_use_id)));
  const left = entries.map((entry) => {
    const isEmptied = cleared.has(stringOf(entry.block.id)) && clearsInput(edit, entry.block);
    return shorter.get(entry) ?? (isEmptied ? withBlock(entry, { ...entry.block, input: {} }, measure) : entry);
  });
  const tokens = total - sumOf(left);
  if (cleared.size === 0 || tokens < edit.clearTokensMin) return null;
  return { entries: left, clearings: [{ kind: "tool-uses", uses: cleared.size, tokens }] };
}

function shortenedResults(
  entries: readonly MeasuredEntry[],
  callIds: ReadonlySet<string>,
  measure: (block: JsonObject) => number,
): ReadonlyMap<MeasuredEntry, MeasuredEntry> {
  const shortened = new Map<MeasuredEntry, MeasuredEntry>();
  for (const entry of entries) {
    const { block } = entry;
    if (block.type !== "tool_result" || !callIds.has(stringOf(block.tool_use_id))) continue;
    const content = [{ type: "text", text: CLEARED_RESULT }];
    const cleared = withBlock(entry, { ...block, content }, measure);
    if (cleared.tokens < entry.tokens) shortened.set(entry, cleared);
  }
  return shortened;
}

function clearsInput({ inputsOf }: ClearToolUses, block: JsonObject): boolean {
  if (block.type !== "tool_use" || inputsOf === "none") return false;
  return inputsOf === "all" || inputsOf.includes(stringOf(block.name));
}

function withBlock(entry: MeasuredEntry, block: JsonObject, measure: (block: JsonObject) => number): MeasuredEntry {
  return { ...entry, block, tokens: measure(block) };
}

function sumOf(entries: readonly MeasuredEntry[]): number {
  return entries.reduce((sum, { tokens }) => sum + tokens, 0);
}
