import type { PartJson } from "./message-json.ts";
import { userMessage } from "./message-json.ts";

/** What is put in front of a block: a call, or the end of this part of the message and the results behind it. */
export type Put =
  | { readonly kind: "call"; readonly at: number; readonly json: string }
  | { readonly kind: "part"; readonly at: number; readonly results: readonly string[] };

/** Text between two blocks that are neighbours in the body; the comma between them stays where it is. */
export interface Gap {
  /** Right behind the block before; in an empty list, what stands in it. */
  readonly behind: string;
  /** Right in front of the block that follows. */
  readonly ahead: string;
  /** Results behind the whole message, where nothing of it follows them. */
  readonly results: readonly string[] | null;
}

/** Where a gap is: in front of all blocks, behind all, or (for an empty list) both. */
export interface GapEdges {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** Null where a part would be empty, or the message cannot be parted. */
export function gapOf(puts: readonly Put[], { isFirst, isLast }: GapEdges, part: PartJson | null): Gap | null {
  const hasComma = !isFirst && !isLast;
  let behind: string | null = null;
  let text = "";
  let isEmpty = isFirst;
  let results: readonly string[] | null = null;
  for (const [index, put] of puts.entries()) {
    if (put.kind === "call") {
      text += isEmpty ? put.json : `,${put.json}`;
      isEmpty = false;
      continue;
    }
    if (isEmpty) return null;
    if (isLast && index === puts.length - 1) {
      results = put.results;
      continue;
    }
    if (part === null) return null;
    text += part.close;
    if (hasComma && behind === null) {
      behind = text;
      text = "";
    } else text += ",";
    text += `${userMessage(put.results)},${part.open}`;
    isEmpty = true;
  }
  if (isLast) return { behind: text, ahead: "", results };
  if (hasComma && behind === null) return { behind: text, ahead: "", results };
  return { behind: behind ?? "", ahead: isEmpty ? text : `${text},`, results };
}
