import type { ToolDefinition as Definition } from "../model/tool.ts";

/** One tool as a client is told of it. */
export interface ToolDefinition extends Definition {
  readonly name: ToolName;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Names of the tools, without what a client puts before them. */
export type ToolName = "recall" | "hold" | "release" | "window";

const TEXT = { type: "string" };
const TEXTS = { type: "array", items: TEXT };
const COUNT = { type: "integer" };
const TRUTH = { type: "boolean" };
const TARGETS = { ids: TEXTS, paths: TEXTS, latest: COUNT };

/**
 * The tools. Clients send these words with every request, so they say little: the answers teach the rest. Claude Code keeps
 * `recall` at hand where it loads others on demand, because markers name it.
 */
export const TOOL_DEFINITIONS: readonly ToolDefinition[] = [
  {
    name: "recall",
    description:
      "Original text behind an [ebb ID] marker, or any part of it. range: A-B, A-, -B, N or N@C-D; file lines for a file read. pattern: regex. id=index lists what left. keep=true puts the range in the marker's place instead of answering with it; release=true puts the marker back. Both need a reason.",
    inputSchema: {
      type: "object",
      properties: {
        id: TEXT,
        range: TEXT,
        pattern: TEXT,
        ignore_case: TRUTH,
        chars: COUNT,
        keep: TRUTH,
        release: TRUTH,
        reason: TEXT,
      },
      required: ["id"],
    },
    _meta: { "anthropic/alwaysLoad": true },
  },
  {
    name: "hold",
    description:
      "How long results stay in context: turns or steps from now, until a scope (tmp_NAME) is released, or for good. A scope alone holds what comes next. protect=true: nothing may remove them. off=true takes it back.",
    inputSchema: {
      type: "object",
      properties: { ...TARGETS, turns: COUNT, steps: COUNT, scope: TEXT, protect: TRUTH, off: TRUTH, reason: TEXT },
      required: ["reason"],
    },
  },
  {
    name: "release",
    description:
      "Take results you are done with out of context, by id, path, the latest n, or a whole scope, which reports what changed. Each leaves a marker and can be recalled.",
    inputSchema: {
      type: "object",
      properties: { ...TARGETS, scope: TEXT, reason: TEXT },
      required: ["reason"],
    },
  },
  {
    name: "window",
    description: "Lists results in this conversation: id, state, size, until when. range: lines of the list.",
    inputSchema: { type: "object", properties: { range: TEXT }, required: [] },
  },
];
