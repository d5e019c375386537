import type { AsidePlace, InlineRound } from "../../model/aside.ts";
import { type ItemDraft, identified, inputOf, isForgotten, isOwnCall } from "./item-draft.ts";
import { markOfJson } from "./marks.ts";

/**
 * A round's message of items in their order. A call that the client does not see, and the reasoning in front of it that it does not
 * see either, are one block: the provider takes neither without the other. Such a call that repeats the id of another one gets one of
 * its own: no provider takes two calls of one id.
 */
export function roundOf(
  drafts: readonly ItemDraft[],
  toolNames: ReadonlySet<string>,
  seenBefore: readonly string[],
): InlineRound {
  const blocks: string[] = [];
  const seen = [...seenBefore];
  const calls: InlineRound["calls"][number][] = [];
  let reasoning: string[] = [];
  const taken = new Set(drafts.flatMap((draft) => (isWithheld(draft) ? [] : [draft.callId])));
  for (const told of drafts) {
    const draft = isWithheld(told) && isOwnCall(told, toolNames) ? identified(told, taken) : told;
    const { callId: id, name, json } = draft;
    if (json === null) continue;
    taken.add(id);
    if (!isWithheld(draft)) {
      if (!isForgotten(draft)) blocks.push(json);
      const mark = markOfJson(json);
      if (mark !== null) seen.push(mark);
      reasoning = [];
    } else if (isOwnCall(draft, toolNames)) {
      calls.push({ blockIndex: blocks.length, id, name, input: inputOf(draft), seenBefore: seen.length });
      blocks.push([...reasoning, json].join(","));
      reasoning = [];
    } else if (!isForgotten(draft)) reasoning.push(json);
  }
  return { place: placeOf(drafts), blocks, calls, seen, seenStart: seenBefore.length };
}

/** Where the answers of a message stand: alone, or beside those of the client's own calls. Some calls the provider answers itself. */
function placeOf(drafts: readonly ItemDraft[]): AsidePlace {
  const open = new Set<string>();
  for (const draft of drafts) {
    if (isWithheld(draft)) continue;
    if (draft.type.endsWith("_output")) open.delete(draft.callId);
    else if (draft.callId !== "") open.add(draft.callId);
    else if (draft.type === APPROVAL) open.add(APPROVAL);
  }
  return open.size > 0 ? "beside" : "round";
}

/** A question to the client without a call. */
const APPROVAL = "mcp_approval_request";

/** True for an item that the client does not see. */
export function isWithheld({ shownIndex }: ItemDraft): boolean {
  return shownIndex === null;
}
