import type { RecordedContext, RecordedMessage } from "../recording.ts";

/**
 * The requests that open a turn in which the model thinks after one in which it does not, or the other way round, by
 * their index in the context. Only what later requests send of the answers is known.
 */
export function thinkingToggles(context: RecordedContext): ReadonlySet<number> {
  const histories = context.requests.map((request) => request.messages());
  const turns = histories.map((messages) => messages.filter(isSpoken).length);
  const thinking = new Map<number, boolean>();
  histories.forEach((messages, index) => {
    const turn = turns[index] ?? 0;
    const answer = histories[index + 1]?.[messages.length];
    if (answer?.role !== "assistant") return;
    thinking.set(turn, thinking.get(turn) === true || hasThinking(answer));
  });
  const toggles = turns.flatMap((turn, index) => {
    const before = turns[index - 1];
    if (before === undefined || before === turn) return [];
    const [was, is] = [thinking.get(before), thinking.get(turn)];
    return was !== undefined && is !== undefined && was !== is ? [index] : [];
  });
  return new Set(toggles);
}

function isSpoken({ role, blocks }: RecordedMessage): boolean {
  return role === "user" && blocks.some(({ kind }) => kind !== "result");
}

function hasThinking({ blocks }: RecordedMessage): boolean {
  return blocks.some(({ kind }) => kind === "thinking");
}
