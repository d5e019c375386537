import type { Acquisition, Outcome, ToolKind } from "../model/acquisition.ts";
import type { CallItem } from "../model/item.ts";
import { NO_SHELL_FACTS } from "./shell-run.ts";

/** What is known of every call, whatever its kind adds: `command` is what a label says of it. */
export function acquired(
  { callId, name }: CallItem,
  { kind, outcome, command }: { readonly kind: ToolKind; readonly outcome: Outcome; readonly command: string | null },
): Acquisition {
  return { ...NO_SHELL_FACTS, callId, tool: name, kind, outcome, isUnchangedStub: false, command };
}
