import type { CallItem } from "../../model/item.ts";
import type { Dialect } from "../../model/ports.ts";
import type { RequestHeader } from "../../model/transcript.ts";
import { acquisitionOf, otherTool, type Tool } from "./tool.ts";

/** A dialect as a list of tools, and what the agent's texts mean. */
export interface ToolDialect {
  readonly name: string;
  /** By the name that the model calls. */
  toolOf(name: string): Tool | undefined;
  recognises(header: RequestHeader, userAgent: string | null): boolean;
  /** True for one text of a user message that a person typed. */
  isTyped(text: string): boolean;
  /** True for one text that is the client's summary of an earlier history. */
  isSummary(text: string): boolean;
  workingDirectoryOf(texts: readonly string[]): string | null;
  readonly readsThroughShell?: boolean;
  readonly resetsDirectory?: boolean;
}

/** The port of a dialect from its tools. A tool that nobody described is `other`. */
export function toDialect(described: ToolDialect): Dialect {
  const toolOf = ({ name }: CallItem): Tool => described.toolOf(name) ?? otherTool;
  return {
    name: described.name,
    recognises: described.recognises,
    acquire: (call, result, text, shell) => acquisitionOf(toolOf(call), call, result, { text, shell }),
    changeText: (call, text) => toolOf(call).changeText?.(call.input, text) ?? null,
    isGenuineUser: (texts) => texts.some((text) => described.isTyped(text) && !described.isSummary(text)),
    isFold: (texts) => texts.some((text) => described.isSummary(text)),
    workingDirectoryOf: described.workingDirectoryOf,
    noticesIn: () => [],
    hasShell: (toolNames) => toolNames.some((name) => described.toolOf(name)?.isShell === true),
    readsThroughShell: described.readsThroughShell ?? false,
    resetsDirectory: described.resetsDirectory ?? false,
  };
}
