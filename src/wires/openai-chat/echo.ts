import { type JsonBytes, type Span, toJsonBytes } from "../../lib/json-scan.ts";
import { decodeString } from "../../lib/json-spans.ts";
import { kindOf, stringAt } from "../shared/value.ts";
import type { ObjectOutline } from "./object.ts";
import { type Outline, outlineMessage } from "./outline.ts";
import type { ChatSource } from "./source.ts";

/** A message of the model as a client sent it back. */
export interface Echo {
  readonly outline: Outline;
  /** Its whole text. */
  readonly words: string;
  /** The strings that the text is made of, in order, each with the part that holds it; a string content is held by none. */
  readonly strings: readonly { readonly string: Span; readonly part: ObjectOutline | null }[];
}

/** Null for a message that is not the model's, or has members twice. Of content other than text the text is none. */
export function echoOf({ text, spans, transcript, entries }: ChatSource, messageIndex: number): Echo | null {
  const span = spans[messageIndex];
  const isKnown = entries[messageIndex] !== undefined && transcript.messages[messageIndex]?.role === "assistant";
  if (span === undefined || !isKnown) return null;
  const outline = outlineMessage(toJsonBytes(text.bytes.subarray(span.start, span.end)));
  if (typeof outline === "number" || outline.hasDuplicates) return null;
  const strings = stringsIn(outline);
  return { outline, strings, words: strings.map(({ string }) => decodeString(outline.text, string)).join("") };
}

function stringsIn({ text, members, parts }: Outline): Echo["strings"] {
  if (parts !== null) {
    const strings = parts.map((part) => ({ string: textOf(text, part), part }));
    return strings.flatMap(({ string, part }) => (string === null ? [] : [{ string, part }]));
  }
  const content = members.get("content");
  return content !== undefined && kindOf(text, content) === "string" ? [{ string: content, part: null }] : [];
}

function textOf(text: JsonBytes, { members, hasDuplicates }: ObjectOutline): Span | null {
  const string = members.get("text");
  const isText = stringAt(text, members.get("type")) === "text" && !hasDuplicates;
  return isText && string !== undefined && kindOf(text, string) === "string" ? string : null;
}

/** Where the character of this number begins in a JSON string, its quote in front counted; null inside of a pair. */
export function offsetIn({ bytes }: JsonBytes, { start, end }: Span, count: number): number | null {
  let at = start + 1;
  let left = count;
  while (left > 0 && at < end - 1) {
    const byte = bytes[at] ?? 0;
    const isEscape = byte === BACKSLASH;
    const isPair = byte >= FOUR_BYTES;
    at += isEscape
      ? bytes[at + 1] === LOWER_U
        ? 6
        : 2
      : isPair
        ? 4
        : byte >= THREE_BYTES
          ? 3
          : byte >= TWO_BYTES
            ? 2
            : 1;
    left -= isPair ? 2 : 1;
  }
  return left === 0 ? at : null;
}

const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
const TWO_BYTES = 0xc0;
const THREE_BYTES = 0xe0;
const FOUR_BYTES = 0xf0;
