import type { ToolDefinition } from "../model/tool.ts";
import { TOOL_DEFINITIONS } from "./definitions.ts";

/** What stands before the name of a tool that is offered inside the stream. */
export const INLINE_PREFIX = "ebb_";

/** The tools as they are offered inside the stream: `recall` by itself, or all of them. */
export function inlineDefinitions(which: "recall" | "all"): readonly ToolDefinition[] {
  return TOOL_DEFINITIONS.filter(({ name }) => which === "all" || name === "recall").map(
    ({ name, description, inputSchema }) => ({ name: INLINE_PREFIX + name, description, inputSchema }),
  );
}
