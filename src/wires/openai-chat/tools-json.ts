import { toJsonBytes } from "../../lib/json-scan.ts";
import { elementsOf } from "../../lib/json-spans.ts";
import type { ToolDefinition } from "../../model/tool.ts";
import { endOfLast } from "../shared/list-end.ts";
import { insertion, type Splice } from "../shared/splice.ts";
import { stringAt } from "../shared/value.ts";
import { membersAt } from "./object.ts";
import type { ChatSource } from "./source.ts";

/** JSON of the definitions as this API takes them, with commas between. */
export function toolsJson(definitions: readonly ToolDefinition[]): string {
  return definitions
    .map(({ name, description, inputSchema: parameters }) =>
      JSON.stringify({ type: "function", function: { name, description, parameters } }),
    )
    .join(",");
}

/** The tools behind those of the body; null where it offers none, states them twice, or has one of the same name. */
export function toolSplices({ fields, text, transcript }: ChatSource, tools: string): readonly Splice[] | null {
  const at = fields.tools === null ? null : endOfLast(text, fields.tools);
  if (at === null) return null;
  const known = new Set(transcript.header.toolNames);
  return namesIn(tools).some((name) => known.has(name)) ? null : [insertion(at, `,${tools}`)];
}

function namesIn(tools: string): readonly string[] {
  const text = toJsonBytes(Buffer.from(`[${tools}]`));
  return elementsOf(text, 0).map(
    (tool) => stringAt(text, membersAt(text, membersAt(text, tool).get("function")).get("name")) ?? "",
  );
}
