import type { TokenCounter } from "../../model/ports.ts";
import type { RecordedBlock, RecordedMessage } from "../recording.ts";
import { countedOf, tokensOfCounted } from "./native-tokens.ts";
import { isRecord } from "./values.ts";

/** Estimate for an image or a page: providers bill by its size in pixels, which a log rarely states. */
export const MEDIA_TOKENS = 1_600;

/** Estimated tokens of a block; each block is counted once. */
export type BlockTokens = (block: RecordedBlock) => number;

/** Counts blocks and remembers the counts for as long as the blocks live. */
export function createBlockTokens(counter: TokenCounter): BlockTokens {
  const known = new WeakMap<RecordedBlock, number>();
  return (block) => {
    const before = known.get(block);
    if (before !== undefined) return before;
    const tokens = tokensOfValue(counter, JSON.parse(Buffer.from(block.json).toString("utf8")));
    known.set(block, tokens);
    return tokens;
  };
}

/** Estimated tokens of all blocks, without system prompt and tools. */
export function tokensOfMessages(tokensOf: BlockTokens, messages: readonly RecordedMessage[]): number {
  let tokens = 0;
  for (const message of messages) for (const block of message.blocks) tokens += tokensOf(block);
  return tokens;
}

/** Estimated tokens of a content block: its texts, a call's name and arguments, and a flat price for media. */
export function tokensOfValue(counter: TokenCounter, value: unknown): number {
  if (typeof value === "string") return counter.count(value);
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + tokensOfValue(counter, part), 0);
  if (!isRecord(value)) return 0;
  switch (value.type) {
    case "text":
      return tokensOfValue(counter, value.text);
    case "thinking":
      return tokensOfValue(counter, value.thinking);
    case "tool_result":
      return tokensOfValue(counter, value.content);
    case "tool_use":
      return tokensOfValue(counter, value.name) + counter.count(JSON.stringify(value.input ?? {}));
    case "image":
    case "document":
      return MEDIA_TOKENS;
    case "redacted_thinking":
      return 0;
  }
  const counted = countedOf(value);
  if (counted !== null) return tokensOfCounted(counted, MEDIA_TOKENS, (part) => tokensOfValue(counter, part));
  return counter.count(JSON.stringify(value));
}
