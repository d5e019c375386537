import { THINKING_AS_IT_CAME } from "../engine/thinking-standing.ts";
import { goneThinking } from "../engine/thinking-way.ts";
import type { RequestPlan } from "../keeper/contract.ts";

/** Thinking that the provider drops because it was asked to and it no longer fits: by message and block, as the client sent it. */
export function droppedThinking(plan: RequestPlan | null): (messageIndex: number, blockIndex: number) => boolean {
  if (plan === null || plan.edits.every(({ kind }) => kind !== "drop-thinking")) return () => false;
  const { transcript, inForce } = plan;
  const isGone = goneThinking({ transcript }, { ...THINKING_AS_IT_CAME, isDropping: true }, inForce);
  const places = transcript.items.flatMap((item) => (isGone(item) ? [`${item.messageIndex} ${item.blockIndex}`] : []));
  const dropped = new Set(places);
  return (messageIndex, blockIndex) => dropped.has(`${messageIndex} ${blockIndex}`);
}
