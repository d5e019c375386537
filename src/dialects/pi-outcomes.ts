import type { Outcome, ToolKind } from "../model/acquisition.ts";
import type { ResultItem } from "../model/item.ts";

const STOPPED = /(?:^|\n)(?:Operation|Command) aborted\s*$/;
const COMMAND_FAILED = /(?:^|\n)Command (?:exited with code \d+|timed out after \d+ seconds)\s*$/;
const CHANGED = /^Successfully /;
const NO_READ = /^(?:E[A-Z]{3,}: |File not found: |Path not found: |Offset \d+ is beyond end of file)[^\n]*\s*$/;

/**
 * What a result proves of its call. Some formats have no error flag: there the words of the client tell, which are those of
 * badlogic/pi-mono, packages/coding-agent/src/core/tools.
 */
export function outcomeOf(result: ResultItem | null, text: string, kind: ToolKind): Outcome {
  if (result === null) return "missing";
  const mayStop = result.isError || kind === "run" || kind === "edit" || kind === "write";
  if (mayStop && STOPPED.test(text)) return "interrupted";
  if (result.isError) return "failed";
  switch (kind) {
    case "run":
      return COMMAND_FAILED.test(text) ? "failed" : "ok";
    case "edit":
    case "write":
      return CHANGED.test(text) ? "ok" : "failed";
    case "read":
      return NO_READ.test(text) ? "failed" : "ok";
    default:
      return "ok";
  }
}
