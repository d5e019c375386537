import type { CallItem, Item, ResultItem } from "../model/item.ts";
import type { Transcript } from "../model/transcript.ts";

/** A call of a tool and what came back, in the order in which a provider counts them. */
export interface ToolUse {
  readonly call: CallItem;
  /** Null where it is missing, is not understood, or where two results go by one call. */
  readonly result: ResultItem | null;
  /** Place of the result among the items; -1 without one. */
  readonly resultIndex: number;
}

/** The tool uses of a request; null where it holds some of another kind, and nobody can tell how a provider counts those. */
export function toolUsesOf({ items }: Transcript): readonly ToolUse[] | null {
  const results = new Map<string, { readonly item: ResultItem; readonly index: number } | null>();
  const calls: CallItem[] = [];
  for (const [index, item] of items.entries()) {
    if (isForeignUse(item)) return null;
    if (item.kind === "call") calls.push(item);
    if (item.kind === "result") results.set(item.callId, results.has(item.callId) ? null : { item, index });
  }
  return calls.map((call) => {
    const found = results.get(call.callId) ?? null;
    return { call, result: found?.item ?? null, resultIndex: found?.index ?? -1 };
  });
}

function isForeignUse(item: Item): boolean {
  return item.kind === "opaque" && item.type.endsWith("tool_use");
}
