import type { Candidate } from "../model/decision.ts";
import type { Item } from "../model/item.ts";
import type { View } from "../model/view.ts";
import { rewrites } from "./thinking-standing.ts";

/** True where thinking that is signed over an item leaves when the item does. What is forced out at depth is not worth that. */
export function passesThinking({ moment }: Pick<Candidate, "moment">, { thinkingWay }: View): boolean {
  return thinkingWay !== null && moment !== "forced" && (moment === null || rewrites(moment));
}

/** True where an item can only leave with thinking that the provider may still hold: then it waits for what that is worth. */
export function takesHeldThinking(item: Item, view: View): boolean {
  const { thinkingWay: way, model } = view;
  if (way?.kind !== "strip" || way.isFree || model.thinkingBinding !== "prefix") return false;
  return view.thinkingBehind(item) !== null;
}
