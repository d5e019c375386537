import type { Span } from "../../lib/json-scan.ts";
import { insertion, type Splice } from "../shared/splice.ts";

/** True for the string `""`, which is no block of a list: the API takes no empty text. */
export function isEmptyString(content: Span): boolean {
  return content.end - content.start === 2;
}

/** String content as a list: its bytes as the text of a block, with JSON of blocks in front of it and behind it. */
export function listOfString(content: Span, ahead: string, behind: string): readonly Splice[] {
  if (isEmptyString(content)) return [{ ...content, bytes: Buffer.from(`[${ahead}${behind}]`) }];
  return [insertion(content.start, `[${ahead}{"type":"text","text":`), insertion(content.end, `}${behind}]`)];
}
