import type { Edit, ServerClear } from "../model/edit.ts";
import type { WireSource } from "../model/ports.ts";
import { itemsOf, takesBlocks } from "./self-check-additions.ts";
import { statedBreakpoints } from "./self-check-breakpoints.ts";
import type { Parts } from "./self-check-parts.ts";

/** Words for the first thing put into a body, beside markers, that the edits do not state; null where they state all of it. */
export function unstatedFault(parts: Parts, edits: readonly Edit[], before: WireSource): string | null {
  const breakpoints = edits.length === 0 ? [] : statedBreakpoints(before, edits).map(({ ttlMs }) => ttlMs);
  if (!isSame(parts.lifetimes, breakpoints)) return unstated("cache breakpoints", parts.lifetimes.length, breakpoints);
  const notes = statedNotes(edits, before);
  if (!isSame(parts.notes, notes)) return unstated("notes", parts.notes.length, notes);
  if (!isAskedForStated(parts, edits, before)) return "untouched: the provider is asked to delete what nobody decided";
  if (!areNamedInOrder(parts, before)) return "untouched: a result is named by another call";
  const names = parts.fields.map(([name]) => name);
  const isStated = new Set(names).size === names.length && parts.fields.every((field) => isStatedField(field, edits));
  return isStated ? null : `untouched: ${names.join()} was put in, and nobody decided it`;
}

function unstated(what: string, found: number, meant: readonly unknown[]): string {
  return `untouched: ${found} ${what} were put in, ${meant.length} are meant, and not all are the same`;
}

function isSame<Value extends string | number>(left: readonly Value[], right: readonly Value[]): boolean {
  const others = right.toSorted();
  return left.length === right.length && left.toSorted().every((value, at) => value === others[at]);
}

function statedNotes(edits: readonly Edit[], { transcript }: WireSource): readonly string[] {
  const notes = edits.filter((edit) => edit.kind === "note");
  if (notes.length === 0) return [];
  const items = itemsOf(transcript, notes);
  return notes.flatMap((edit) => {
    const anchor = items.get(edit.anchorKey);
    return anchor !== undefined && takesBlocks(anchor) && edit.text !== "" ? [edit.text] : [];
  });
}

/** Each result once, and only stated ones. */
function isAskedForStated({ asked }: Parts, edits: readonly Edit[], { transcript }: WireSource): boolean {
  if (asked.length === 0) return true;
  const deletes = edits.filter((edit) => edit.kind === "delete");
  const items = itemsOf(transcript, deletes);
  const results = deletes.flatMap(({ resultKeys }) => resultKeys.map((key) => items.get(key)));
  const stated = new Set(results.flatMap((item) => (item?.kind === "result" ? [item.callId] : [])));
  return new Set(asked).size === asked.length && asked.every((id) => stated.has(id));
}

/** Results are named only where the provider is asked to delete some, by their own calls, in their order. */
function areNamedInOrder({ references, asked }: Parts, { transcript }: WireSource): boolean {
  if (references.length === 0) return asked.length === 0;
  if (asked.length === 0) return false;
  let named = 0;
  for (const item of transcript.items) {
    if (item.kind === "result" && item.callId === references[named]) named += 1;
  }
  return named === references.length && asked.every((id) => references.includes(id));
}

function isStatedField([name, value]: Parts["fields"][number], edits: readonly Edit[]): boolean {
  if (name === "block_binding") {
    const isStated = edits.some(({ kind }) => kind === "drop-thinking");
    return isStated && JSON.stringify(value) === '{"prefix_mismatch_behavior":"drop_block"}';
  }
  const clear = edits.findLast((edit) => edit.kind === "server-clear")?.clear;
  return clear !== undefined && isClear(value, clear);
}

function isClear(value: unknown, { triggerTokens, keepUses, clearTokensMin, exceptTools }: ServerClear): boolean {
  const text = JSON.stringify(value);
  const numbers = Array.from(text.matchAll(/"value":(-?[\d.e+]+)/g), ([, number]) => Number(number));
  const meant = [triggerTokens, keepUses, ...(clearTokensMin === null ? [] : [clearTokensMin])];
  const tools = exceptTools.length === 0 ? "" : `"exclude_tools":${JSON.stringify(exceptTools)}`;
  const isOne = text.startsWith('{"edits":[{"type":"clear_tool_uses_') && text.split('"type":"clear_').length === 2;
  return isOne && isSame(numbers, meant) && text.includes(tools) && (tools !== "" || !text.includes("exclude_tools"));
}
