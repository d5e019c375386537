import type { Role } from "../../model/item.ts";
import type { RecordedBlock, RecordedProblem } from "../recording.ts";
import { isRecord, kindOf, textOrNull } from "./values.ts";

const KINDS: Readonly<Record<string, RecordedBlock["kind"]>> = {
  text: "text",
  tool_use: "call",
  tool_result: "result",
  image: "media",
  document: "media",
  thinking: "thinking",
  redacted_thinking: "thinking",
};

export interface ReadBlocks {
  readonly blocks: readonly RecordedBlock[];
  readonly problems: readonly RecordedProblem[];
}

/** The blocks of a message's content, string or list. Empty texts, which the API refuses, are left out. */
export function readBlocks(role: Role, content: unknown, line: number): ReadBlocks {
  if (typeof content === "string") {
    return { blocks: content === "" ? [] : [toTextBlock(role, content, line)], problems: [] };
  }
  if (!Array.isArray(content)) {
    const words = `content of a ${role} message: expected a text or a list of blocks, got ${kindOf(content)}`;
    return { blocks: [], problems: [{ line, words }] };
  }
  const blocks: RecordedBlock[] = [];
  const problems: RecordedProblem[] = [];
  for (const value of content) {
    const block = toBlock(role, value, line);
    if (block === null)
      problems.push({ line, words: `block of a ${role} message: not a content block (${kindOf(value)})` });
    else if (!isEmptyText(value)) blocks.push(block);
  }
  return { blocks, problems };
}

/** A text of its own. */
export function toTextBlock(role: Role, text: string, line: number): RecordedBlock {
  return { role, kind: "text", callId: null, toolName: null, line, json: encode({ type: "text", text }) };
}

function toBlock(role: Role, value: unknown, line: number): RecordedBlock | null {
  if (!isRecord(value) || typeof value.type !== "string") return null;
  const kind = KINDS[value.type] ?? "other";
  const callId = kind === "call" ? textOrNull(value.id) : kind === "result" ? textOrNull(value.tool_use_id) : null;
  const toolName = kind === "call" ? textOrNull(value.name) : null;
  if ((kind === "call" && (callId === null || toolName === null)) || (kind === "result" && callId === null))
    return null;
  const { cache_control: _moved, ...rest } = value;
  return { role, kind, callId, toolName, line, json: encode(rest) };
}

function isEmptyText(value: unknown): boolean {
  return isRecord(value) && value.type === "text" && value.text === "";
}

function encode(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
