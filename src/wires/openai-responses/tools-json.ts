import { type JsonBytes, type Span, skipSpace, toJsonBytes } from "../../lib/json-scan.ts";
import { elementsOf, membersOf } from "../../lib/json-spans.ts";
import type { ToolDefinition } from "../../model/tool.ts";
import { insertion, type Splice } from "../shared/splice.ts";
import { isFalseAt, kindOf, stringAt } from "../shared/value.ts";
import { isHeldByProvider } from "./held-by-provider.ts";
import type { ResponsesSource } from "./source.ts";

const SPACE = 0x20;

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

/** Where the last element of a valid list ends, told without a walk over the others; null where there is none, or no list. */
function endOfLast(text: JsonBytes, span: Span): number | null {
  if (kindOf(text, span) !== "array" || skipSpace(text, span.start + 1) === span.end - 1) return null;
  let end = span.end - 1;
  while ((text.bytes[end - 1] ?? 0) <= SPACE) end -= 1;
  return end;
}

function namesIn(tools: string): readonly string[] {
  const text = toJsonBytes(Buffer.from(`[${tools}]`));
  return elementsOf(text, 0).map(({ start }) => stringAt(text, membersOf(text, start).spans.get("name")) ?? "");
}
