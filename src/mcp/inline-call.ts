import type { InlineRound } from "../model/aside.ts";
import type { ToolAnswer } from "../model/tool.ts";
import { failed } from "./answer.ts";
import { answerCall, type CallDesk, type CallPlace } from "./call.ts";
import { TOOL_DEFINITIONS, type ToolName } from "./definitions.ts";
import { INLINE_PREFIX } from "./inline-definitions.ts";

/**
 * Answers calls that were made inside the stream of a conversation that is known. It never rejects: what cannot be meant or
 * fails is an answer that says so. `onFault` takes our own mistakes, for the log.
 */
export function createInlineAnswerer(
  desk: CallDesk,
  onFault: (fault: unknown) => void,
): (call: InlineRound["calls"][number], place: CallPlace) => Promise<ToolAnswer> {
  return async (call, place) => {
    const tool = toolOf(call.name);
    if (tool === null) return unknownTool(call.name);
    if (call.input === null) return failed("bad order", "expected the arguments as a JSON object");
    try {
      return await answerCall({ tool, arguments: call.input, callId: call.id }, desk, place);
    } catch (fault) {
      onFault(fault);
      return failed("fault", "Ebb failed at this call; its log says how");
    }
  };
}

function toolOf(name: string): ToolName | null {
  return TOOL_DEFINITIONS.find((one) => INLINE_PREFIX + one.name === name)?.name ?? null;
}

function unknownTool(name: string): ToolAnswer {
  const names = TOOL_DEFINITIONS.map((one) => INLINE_PREFIX + one.name).join(", ");
  return failed("bad order", `expected one of the tools ${names}, got ${JSON.stringify(name.slice(0, 80))}`);
}
