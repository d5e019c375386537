import type { AsideInMessage } from "../engine/asides.ts";
import type { BlockMark, InlineWire, PlacedAside, WireSource } from "../model/ports.ts";

/** Messages of the model that follow each other: some clients send each block of one as a message of its own. */
export interface AnswerRun {
  readonly messageIndex: number;
  /** The first message behind the run. */
  readonly end: number;
}

/** A block of a run. */
interface RunBlock extends BlockMark {
  readonly messageIndex: number;
}

/** Every message of the model, with those that follow it. */
export function answerRuns({ transcript: { messages } }: WireSource): readonly AnswerRun[] {
  const runs: AnswerRun[] = [];
  let end = messages.length;
  for (let index = messages.length - 1; index >= 0; index--) {
    if (messages[index]?.role === "assistant") runs.push({ messageIndex: index, end });
    else end = index;
  }
  return runs.reverse();
}

/** Blocks that have marks, over all messages of a run, of which the client saw one of the `expected` lists. */
export function blocksOfRun(
  run: AnswerRun,
  source: WireSource,
  inline: InlineWire,
  expected: readonly (readonly string[])[],
): readonly RunBlock[] {
  const blocks: RunBlock[] = [];
  for (let messageIndex = run.messageIndex; messageIndex < run.end; messageIndex++) {
    for (const mark of inline.marksOf(source, messageIndex, expected)) blocks.push({ ...mark, messageIndex });
  }
  return blocks;
}

/** Marks that number the blocks of a run from its start. */
export function numbered(blocks: readonly RunBlock[]): readonly BlockMark[] {
  return blocks.map(({ mark }, blockIndex) => ({ mark, blockIndex }));
}

/**
 * Where an aside stands whose places number the blocks of a run: in the message in which it is parted, beside other calls in the
 * last one. A call that would stand in an earlier message stands in front of that one.
 */
export function placeInRun(
  run: AnswerRun,
  blocks: readonly RunBlock[],
  { calls, partedAt }: AsideInMessage,
): Pick<PlacedAside, "messageIndex" | "partedAt"> & { readonly callsAt: readonly number[] } {
  const behind = (count: number) => blocks[count - 1] ?? { messageIndex: run.messageIndex, blockIndex: -1 };
  const part = partedAt === null ? null : behind(partedAt);
  const messageIndex = part === null ? run.end - 1 : part.messageIndex;
  const callsAt = calls.map((count) => {
    const block = behind(count);
    return block.messageIndex === messageIndex ? block.blockIndex + 1 : 0;
  });
  return { messageIndex, partedAt: part === null ? null : part.blockIndex + 1, callsAt };
}
