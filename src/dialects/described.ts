import type { CallItem } from "../model/item.ts";
import type { Dialect } from "../model/ports.ts";
import type { RequestHeader } from "../model/transcript.ts";
import type { DialectDescription } from "./described/description.ts";
import { describedTool } from "./described/tools.ts";
import { acquisitionOf, type Tool } from "./tools/tool.ts";

/** The dialect of a description: its own tools first, everything else as `base` has it. */
export function createDescribedDialect(description: DialectDescription, base: Dialect): Dialect {
  const tools: ReadonlyMap<string, Tool> = new Map(
    Object.entries(description.tools).map(([name, described]) => [name, describedTool(described)]),
  );
  const toolOf = ({ name }: CallItem) => tools.get(name);
  return {
    ...base,
    name: description.name,
    recognises: (header, userAgent) => recognises(description, base, header, userAgent),
    acquire: (call, result, text, shell) => {
      const tool = toolOf(call);
      return tool === undefined
        ? base.acquire(call, result, text, shell)
        : acquisitionOf(tool, call, result, { text, shell });
    },
    changeText: (call, text) => {
      const tool = toolOf(call);
      return tool === undefined ? base.changeText(call, text) : (tool.changeText?.(call.input, text) ?? null);
    },
    hasShell: (toolNames) => {
      const isOwn = toolNames.some((name) => tools.get(name)?.isShell === true);
      return isOwn || base.hasShell(toolNames.filter((name) => !tools.has(name)));
    },
    readsThroughShell: description.readsThroughShell ?? base.readsThroughShell,
  };
}

/** The generic base is recognised everywhere, which would take every other agent's requests. */
function recognises(
  { recognise, tools }: DialectDescription,
  base: Dialect,
  header: RequestHeader,
  userAgent: string | null,
): boolean {
  const has = (names: readonly string[]) => names.every((name) => header.toolNames.includes(name));
  if (recognise === null) return base.name === "generic" ? has(Object.keys(tools)) : base.recognises(header, userAgent);
  const { system, userAgent: agent } = recognise;
  const isSaid = system === null || header.systemTexts.some((text) => text.includes(system));
  const isNamed = agent === null || (userAgent?.startsWith(agent) ?? false);
  return has(recognise.tools) && isSaid && isNamed;
}
