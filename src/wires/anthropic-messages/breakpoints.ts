import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { membersOf } from "../../lib/json-spans.ts";
import type { Breakpoint, Message } from "../../model/transcript.ts";
import { kindOf } from "../shared/value.ts";
import { type Block, visitBlocks } from "./block.ts";
import { CACHE_CONTROL, ttlOf } from "./cache-control.ts";
import type { MessageSeed } from "./seed.ts";

/** Lifetimes that the breakpoints of a block ask for: those of the blocks inside it, then its own. */
export function lifetimesIn(text: JsonBytes, block: Block): readonly number[] {
  const blocks = [...(block.inner ?? []), block].flatMap((one) => [...blocksOfSource(text, one), one]);
  return blocks.map(({ members }) => ttlOf(text, members.get(CACHE_CONTROL))).filter((ttlMs) => ttlMs !== null);
}

/** False for blocks that the provider passes over when it places a breakpoint by itself. */
export function canCarry(block: Block): boolean {
  return block.type !== "thinking" && block.type !== "redacted_thinking";
}

/** The breakpoints of placed messages, and behind them the one that the provider places by itself. */
export function placeBreakpoints(
  seeds: readonly MessageSeed[],
  messages: readonly Message[],
  automaticTtlMs: number | null,
): readonly Breakpoint[] {
  const placed: Breakpoint[] = [];
  let carrierEnd = 0;
  for (const [index, { breakpoints, carrierCount }] of seeds.entries()) {
    const before = messages[index]?.itemStart ?? 0;
    for (const { itemCount, ttlMs } of breakpoints) placed.push({ itemCount: before + itemCount, ttlMs });
    if (carrierCount > 0) carrierEnd = before + carrierCount;
  }
  if (automaticTtlMs !== null) placed.push({ itemCount: carrierEnd, ttlMs: automaticTtlMs });
  return placed;
}

/** Blocks that a document is made of. */
function blocksOfSource(text: JsonBytes, block: Block): readonly Block[] {
  const source = block.type === "document" ? block.members.get("source") : undefined;
  if (source === undefined || kindOf(text, source) !== "object") return [];
  const content = membersOf(text, source.start).spans.get("content");
  return content === undefined || kindOf(text, content) !== "array" ? [] : blocksAt(text, content);
}

function blocksAt(text: JsonBytes, list: Span): readonly Block[] {
  const blocks: Block[] = [];
  visitBlocks(text, list.start, blocks);
  return blocks;
}
