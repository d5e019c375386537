import type { JsonObject } from "../../model/json.ts";
import { blocksOf } from "./content.ts";
import { isObject, stringOf } from "./json.ts";
import { invalid, type Refusal } from "./refusal.ts";

const ASSISTANT_ONLY: ReadonlySet<string> = new Set([
  "tool_use",
  "thinking",
  "redacted_thinking",
  "server_tool_use",
  "mcp_tool_use",
]);
const USER_ONLY: ReadonlySet<string> = new Set(["tool_result", "image", "document", "search_result"]);
const ANYWHERE: ReadonlySet<string> = new Set([
  "text",
  "compaction",
  "container_upload",
  "tool_addition",
  "tool_removal",
]);
const IN_RESULTS: ReadonlySet<string> = new Set(["text", "image", "document", "search_result", "tool_reference"]);
const EMPTY = "text content blocks must be non-empty";
const BLANK = "text content blocks must contain non-whitespace text";

/** Where a message stands, and what else its provider knows. */
export interface MessagePlace {
  readonly index: number;
  /** The last assistant message may be empty. */
  readonly isLast: boolean;
  /** Type of a block that asks for deletions from the cached prefix; null where there is none. */
  readonly editType: string | null;
}

/** What is wrong with one message by itself; null when nothing is. */
export function refuseMessage(message: JsonObject, { index, isLast, editType }: MessagePlace): Refusal | null {
  const path = `messages.${index}`;
  const { content, role } = message;
  if (typeof content !== "string" && !Array.isArray(content)) {
    return invalid(`${path}.content: Input should be a valid string or a list of content blocks`);
  }
  if (role === "system") return null;
  if (content.length === 0) {
    if (role === "assistant" && isLast) return null;
    return invalid(`${path}: all messages must have non-empty content except for the optional final assistant message`);
  }
  if (Array.isArray(content) && !content.every(isObject)) {
    return invalid(`${path}.content: Input should be a list of content blocks`);
  }
  for (const [blockIndex, block] of blocksOf(content).entries()) {
    const words = wordsAgainst(block, stringOf(role), editType);
    if (words !== null) return invalid(`${path}.content.${blockIndex}${words}`);
  }
  return null;
}

function wordsAgainst(block: JsonObject, role: string, editType: string | null): string | null {
  const type = stringOf(block.type);
  const isEdit = type === editType;
  if ((isEdit || USER_ONLY.has(type)) && role !== "user")
    return `: \`${type}\` blocks can only be in \`user\` messages`;
  if (ASSISTANT_ONLY.has(type) && role !== "assistant") {
    return `: \`${type}\` blocks can only be in \`assistant\` messages`;
  }
  if (!isEdit && !isKnownType(type)) {
    return `: Input tag '${type}' found using 'type' does not match any of the expected tags`;
  }
  switch (type) {
    case "text":
      return wordsAgainstText(block);
    case "tool_use":
      return wordsAgainstCall(block);
    case "tool_result":
      return wordsAgainstResult(block);
    default:
      return null;
  }
}

function isKnownType(type: string): boolean {
  return ASSISTANT_ONLY.has(type) || USER_ONLY.has(type) || ANYWHERE.has(type) || type.endsWith("_tool_result");
}

function wordsAgainstText(block: JsonObject): string | null {
  if (typeof block.text !== "string") return ".text.text: Field required";
  if (block.text === "") return `.text: ${EMPTY}`;
  return block.text.trim() === "" ? `.text: ${BLANK}` : null;
}

function wordsAgainstCall(block: JsonObject): string | null {
  if (!/^[a-zA-Z0-9_-]+$/.test(stringOf(block.id))) {
    return ".tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'";
  }
  if (stringOf(block.name) === "") return ".tool_use.name: Field required";
  return isObject(block.input) ? null : ".tool_use.input: Input should be a valid dictionary";
}

function wordsAgainstResult(block: JsonObject): string | null {
  const { content } = block;
  if (stringOf(block.tool_use_id) === "") return ".tool_result.tool_use_id: Field required";
  if (content === undefined || content === null || typeof content === "string") return null;
  if (!Array.isArray(content) || !content.every(isObject)) {
    return ".tool_result.content: Input should be a valid string or a list of content blocks";
  }
  for (const [index, inner] of blocksOf(content).entries()) {
    const type = stringOf(inner.type);
    if (!IN_RESULTS.has(type)) return `.tool_result.content.${index}: Input tag '${type}' is not allowed here`;
    if (type === "text" && stringOf(inner.text) === "") return `.tool_result.content.${index}.text: ${EMPTY}`;
  }
  return null;
}
