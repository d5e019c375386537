import { compareBodies, declaredIn, type ReadBlock } from "../bodies.ts";
import type { Watcher } from "../world.ts";

/** Every block stands where it stood, results answer the same calls, and all but results are the same to the byte. */
export const judgePairs: Watcher = ({ request, prepared, forwarded }) => {
  if (forwarded === null) return [];
  const bodies = compareBodies(request.body, forwarded, declaredIn(prepared));
  const before = bodies.before.blocks;
  const after = bodies.after.blocks;
  if (before.length !== after.length) return [`paired: ${before.length} blocks came, ${after.length} left`];
  const faults = before.flatMap((block, index) => {
    const other = after[index];
    if (other === undefined || placeOf(other) !== placeOf(block)) return [`paired: block ${index} is another one`];
    if (block.type !== "tool_result" && block.raw !== other.raw)
      return [`paired: block ${index} (${block.type}) differs`];
    return [];
  });
  return [...faults, ...unanswered(before, after)];
};

function placeOf({ role, message, type, callId, node }: ReadBlock): string {
  return JSON.stringify([role, message, type, callId, node.members.get("is_error")?.raw]);
}

/** Calls that had their answer in the message behind them and lost it. */
function unanswered(before: readonly ReadBlock[], after: readonly ReadBlock[]): readonly string[] {
  const left = new Set(answersIn(after));
  return answersIn(before)
    .filter((answer) => !left.has(answer))
    .map((answer) => `paired: ${answer} is no longer answered`);
}

function answersIn(blocks: readonly ReadBlock[]): readonly string[] {
  const results = new Set(
    blocks.filter(({ type }) => type === "tool_result").map(({ callId, message }) => `${callId} in ${message}`),
  );
  return blocks
    .filter(({ type }) => type === "tool_use")
    .map(({ callId, message }) => `${callId} in ${message + 1}`)
    .filter((answer) => results.has(answer));
}
