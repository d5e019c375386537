import { sha256Hex } from "../../lib/hash.ts";
import type { BlockMark } from "../../model/ports.ts";
import { nameAt } from "../shared/value.ts";
import { echoOf } from "./echo.ts";
import type { ChatSource } from "./source.ts";

const TEXT = "text";

/**
 * Marks of what the client saw of a message of the model: its text, and its calls. Places count the characters of the text, and
 * then the calls: that of a mark is the last one of what it stands for. A text that the client joined is parted by the first of the
 * expected lists whose texts begin it.
 */
export function marksOfMessage(
  source: ChatSource,
  messageIndex: number,
  expected: readonly (readonly string[])[],
): readonly BlockMark[] {
  const content = echoOf(source, messageIndex);
  if (content === null) return [];
  const texts = markTexts(content.words, expected);
  const calls = (content.outline.calls ?? []).map(({ members }) =>
    markOfCall(nameAt(content.outline.text, members.get("id")) ?? ""),
  );
  return [...texts, ...calls.map((mark, index) => ({ mark, blockIndex: content.words.length + index }))];
}

/** The mark of a call. */
export function markOfCall(id: string): string {
  return `call:${id}`;
}

/**
 * The mark of a text as it was streamed: how long it is, with and without the white space in front, and what it says without any
 * around it, which clients trim. Null for a blank text: clients leave it out.
 */
export function markOfText(words: string): string | null {
  const told = toldBy(words);
  return told === null ? null : `${TEXT}:${words.length}:${words.trimStart().length}:${told}`;
}

function toldBy(words: string): string | null {
  const trimmed = words.replace(/\p{Surrogate}/gu, "").trim();
  return trimmed === "" ? null : sha256Hex(trimmed);
}

function markTexts(words: string, expected: readonly (readonly string[])[]): readonly BlockMark[] {
  let best: readonly BlockMark[] = [];
  for (const marks of expected) {
    const cut = cutBy(words, marks.flatMap(partOf));
    if ((cut.at(-1)?.blockIndex ?? 0) > (best.at(-1)?.blockIndex ?? -1)) best = cut;
  }
  const end = (best.at(-1)?.blockIndex ?? -1) + 1;
  const rest = markOfText(words.slice(end));
  return rest === null ? best : [...best, { mark: rest, blockIndex: words.length - 1 }];
}

/** A text that may be part of what a client sent. */
interface Part {
  readonly mark: string;
  readonly lengths: readonly number[];
  readonly told: string;
}

function partOf(mark: string): readonly Part[] {
  const [kind, whole, trimmed, told] = mark.split(":");
  if (kind !== TEXT || told === undefined) return [];
  return [{ mark, lengths: [Number(whole), Number(trimmed)], told }];
}

/** The parts that a text begins with, from any of them on; the last takes what white space is left. */
function cutBy(words: string, parts: readonly Part[]): readonly BlockMark[] {
  let best: readonly BlockMark[] = [];
  for (let first = 0; first < parts.length; first++) {
    const cut = cutFrom(words, parts.slice(first));
    if (cut.length > best.length) best = cut;
  }
  return best;
}

function cutFrom(words: string, parts: readonly Part[]): readonly BlockMark[] {
  const marks: BlockMark[] = [];
  let from = 0;
  for (const { mark, lengths, told } of parts) {
    const rest = words.slice(from);
    const length = toldBy(rest) === told ? rest.length : lengths.find((one) => toldBy(rest.slice(0, one)) === told);
    if (length === undefined || length > rest.length) break;
    from += length;
    marks.push({ mark, blockIndex: from - 1 });
  }
  return marks;
}
