import type { AsidePlace, InlineRound } from "../../model/aside.ts";
import { type BlockDraft, blockJson, identified, inputOf, isBlankText } from "./block-draft.ts";
import { markOfJson } from "./marks.ts";

/**
 * A round's message of blocks in their order; those without a shown index are calls that the client does not see. One of these that
 * repeats the id of another call gets one of its own: no provider takes two calls of one id.
 */
export function roundOf(place: AsidePlace, drafts: readonly BlockDraft[], seenBefore: readonly string[]): InlineRound {
  const blocks: string[] = [];
  const seen = [...seenBefore];
  const calls: InlineRound["calls"][number][] = [];
  const taken = new Set(drafts.flatMap((draft) => (isHeld(draft) || draft.id === "" ? [] : [draft.id])));
  for (const told of drafts) {
    if (isBlankText(told)) continue;
    const draft = isHeld(told) ? identified(told, taken) : told;
    const { id, name } = draft;
    taken.add(id);
    const json = blockJson(draft);
    const mark = isHeld(draft) ? null : markOfJson(json);
    if (isHeld(draft))
      calls.push({ blockIndex: blocks.length, id, name, input: inputOf(draft), seenBefore: seen.length });
    if (mark !== null) seen.push(mark);
    blocks.push(json);
  }
  return { place, blocks, calls, seen, seenStart: seenBefore.length };
}

/** Where the answers of a message stand: alone, or beside those of the client's own calls. */
export function placeOf(drafts: readonly BlockDraft[]): AsidePlace {
  return drafts.some((draft) => draft.type === "tool_use" && !isHeld(draft)) ? "beside" : "round";
}

/** True for a call that the client does not see. */
export function isHeld({ shownIndex }: BlockDraft): boolean {
  return shownIndex === null;
}

/** True for a call that is Ebb's to answer. */
export function isInlineCall({ type, id, name }: BlockDraft, toolNames: ReadonlySet<string>): boolean {
  return type === "tool_use" && id !== "" && toolNames.has(name);
}
