import type { Usage } from "../../model/usage.ts";
import type { RecordedBlock, RecordedProblem } from "../recording.ts";
import { readBlocks } from "./blocks.ts";
import { countOrZero, isRecord, type JsonRecord, kindOf, textOrNull } from "./values.ts";

interface LineBase {
  readonly line: number;
  readonly uuid: string | null;
  readonly parentUuid: string | null;
  readonly isSidechain: boolean;
  readonly agentId: string | null;
  readonly atMs: number | null;
}

export interface UserLine extends LineBase {
  readonly kind: "user";
  readonly blocks: readonly RecordedBlock[];
  /** The client's own summary: the history begins with it. */
  readonly isSummary: boolean;
}

export interface AssistantLine extends LineBase {
  readonly kind: "assistant";
  readonly blocks: readonly RecordedBlock[];
  /** Lines that share it are one response. */
  readonly messageId: string;
  readonly model: string | null;
  readonly usage: Usage | null;
  /** The usage tells of a cache entry that lives an hour. */
  readonly isHourLong: boolean;
  /** False for texts the client made up itself. */
  readonly isResponse: boolean;
}

/** A line of a log that takes part in its chains. */
export type LogLine =
  | UserLine
  | AssistantLine
  /** A client compaction: nothing before it is sent again. */
  | (LineBase & { readonly kind: "fold" })
  /** A client micro-compaction: these results are sent cleared from here on. */
  | (LineBase & { readonly kind: "clear"; readonly callIds: readonly string[] })
  /** Not sent, but other lines hang on it. */
  | (LineBase & { readonly kind: "link" });

export interface ReadLogLine {
  readonly logLine: LogLine | null;
  readonly problems: readonly RecordedProblem[];
  readonly sessionId: string | null;
  readonly workingDirectory: string | null;
}

/** Reads one parsed line of a Claude Code log. Lines that are no part of a conversation (titles, snapshots) give null. */
export function readLogLine(value: unknown, line: number): ReadLogLine {
  if (!isRecord(value)) return nothing(line, `not a log line: expected an object, got ${kindOf(value)}`);
  if (typeof value.type !== "string")
    return nothing(line, `not a log line: expected a type, got ${kindOf(value.type)}`);
  const base: LineBase = {
    line,
    uuid: textOrNull(value.uuid),
    parentUuid: textOrNull(value.parentUuid),
    isSidechain: value.isSidechain === true,
    agentId: textOrNull(value.agentId),
    atMs: timeOf(value.timestamp),
  };
  const facts = { sessionId: textOrNull(value.sessionId), workingDirectory: textOrNull(value.cwd) };
  if (value.type === "user" || value.type === "assistant") return { ...readMessageLine(value, base), ...facts };
  return { logLine: readOtherLine(value, base), problems: [], ...facts };
}

function readMessageLine(value: JsonRecord, base: LineBase): Pick<ReadLogLine, "logLine" | "problems"> {
  const message = value.message;
  if (!isRecord(message)) {
    const words = `message of a ${String(value.type)} line: expected an object, got ${kindOf(message)}`;
    return { logLine: linkOf(base), problems: [{ line: base.line, words }] };
  }
  if (value.type === "user") {
    const { blocks, problems } = readBlocks("user", message.content, base.line);
    return { logLine: { ...base, kind: "user", blocks, isSummary: value.isCompactSummary === true }, problems };
  }
  if (value.isApiErrorMessage === true) return { logLine: linkOf(base), problems: [] };
  const { blocks, problems } = readBlocks("assistant", message.content, base.line);
  const logLine: AssistantLine = {
    ...base,
    kind: "assistant",
    blocks,
    messageId: textOrNull(message.id) ?? base.uuid ?? `line ${base.line}`,
    model: textOrNull(message.model),
    ...usageOf(message.usage),
    isResponse: message.model !== "<synthetic>",
  };
  return { logLine, problems };
}

function readOtherLine(value: JsonRecord, base: LineBase): LogLine | null {
  if (base.uuid === null) return null;
  if (value.type !== "system") return linkOf(base);
  if (value.subtype === "compact_boundary") return { ...base, kind: "fold" };
  if (value.subtype !== "microcompact_boundary" || !isRecord(value.microcompactMetadata)) return linkOf(base);
  const ids: unknown = value.microcompactMetadata.compactedToolIds;
  const callIds = Array.isArray(ids) ? ids.filter((id): id is string => typeof id === "string") : [];
  return { ...base, kind: "clear", callIds };
}

function linkOf(base: LineBase): LogLine {
  return { ...base, kind: "link" };
}

function usageOf(value: unknown): { readonly usage: Usage | null; readonly isHourLong: boolean } {
  if (!isRecord(value)) return { usage: null, isHourLong: false };
  const creation = value.cache_creation;
  return {
    usage: {
      inputTokens: countOrZero(value.input_tokens),
      cacheReadTokens: countOrZero(value.cache_read_input_tokens),
      cacheWriteTokens: countOrZero(value.cache_creation_input_tokens),
      outputTokens: countOrZero(value.output_tokens),
    },
    isHourLong: isRecord(creation) && countOrZero(creation.ephemeral_1h_input_tokens) > 0,
  };
}

function timeOf(value: unknown): number | null {
  const atMs = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? null : atMs;
}

function nothing(line: number, words: string): ReadLogLine {
  return { logLine: null, problems: [{ line, words }], sessionId: null, workingDirectory: null };
}
