import { toJsonBytes } from "../../lib/json-scan.ts";
import { elementsOf, membersOf } from "../../lib/json-spans.ts";
import type { ToolDefinition } from "../../model/tool.ts";
import { endOfLast } from "../shared/list-end.ts";
import { insertion, type Splice } from "../shared/splice.ts";
import { isFalseAt, stringAt } from "../shared/value.ts";
import { isHeldByProvider } from "./held-by-provider.ts";
import type { ResponsesSource } from "./source.ts";

/** JSON of the definitions as this API takes them, with commas between. */
export function toolsJson(definitions: readonly ToolDefinition[]): string {
  return definitions
    .map(({ name, description, inputSchema }) =>
      JSON.stringify({ type: "function", name, description, parameters: inputSchema, strict: false }),
    )
    .join(",");
}

/**
 * The tools behind those of the body; null where it offers none, states them twice, or has one of the same name, and where the
 * provider keeps the response: whoever goes on from there goes on from a call that was never answered.
 */
export function toolSplices(source: ResponsesSource, tools: string): readonly Splice[] | null {
  const { fields, text, members, transcript } = source;
  const isKept = !isFalseAt(text, members.get("store")) || isHeldByProvider(source);
  const at = fields.tools === null || isKept ? null : endOfLast(text, fields.tools);
  if (at === null) return null;
  const known = new Set(transcript.header.toolNames);
  return namesIn(tools).some((name) => known.has(name)) ? null : [insertion(at, `,${tools}`)];
}

function namesIn(tools: string): readonly string[] {
  const text = toJsonBytes(Buffer.from(`[${tools}]`));
  return elementsOf(text, 0).map(({ start }) => stringAt(text, membersOf(text, start).spans.get("name")) ?? "");
}
