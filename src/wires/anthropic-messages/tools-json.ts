import { toJsonBytes } from "../../lib/json-scan.ts";
import { elementsOf, membersOf } from "../../lib/json-spans.ts";
import type { ToolDefinition } from "../../model/tool.ts";
import { endOfLast } from "../shared/list-end.ts";
import { insertion, type Splice } from "../shared/splice.ts";
import { stringAt } from "../shared/value.ts";
import type { AnthropicSource } from "./source.ts";

/** JSON of the definitions as this API takes them, with commas between. */
export function toolsJson(definitions: readonly ToolDefinition[]): string {
  return definitions
    .map(({ name, description, inputSchema }) => JSON.stringify({ name, description, input_schema: inputSchema }))
    .join(",");
}

/** The tools behind those of the body; null where it offers none, states them twice, or has one of the same name. */
export function toolSplices({ fields, text, transcript }: AnthropicSource, tools: string): readonly Splice[] | null {
  const at = fields.tools === null ? null : endOfLast(text, fields.tools);
  if (at === null) return null;
  const known = new Set(transcript.header.toolNames);
  const names = namesIn(tools);
  return names.some((name) => known.has(name)) ? null : [insertion(at, `,${tools}`)];
}

function namesIn(tools: string): readonly string[] {
  const text = toJsonBytes(Buffer.from(`[${tools}]`));
  return elementsOf(text, 0).map(({ start }) => stringAt(text, membersOf(text, start).spans.get("name")) ?? "");
}
