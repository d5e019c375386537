import type { Decision } from "../model/decision.ts";
import type { Item, ItemKey } from "../model/item.ts";
import type { JsonValue } from "../model/json.ts";
import type { Transcript } from "../model/transcript.ts";

export interface ForwardedInput {
  readonly transcript: Transcript;
  /** What stood in place of items when the request before left. */
  readonly decisions: ReadonlyMap<ItemKey, Decision>;
  textOf(item: Item): string;
  /** The file an item is of; null for one of none. */
  pathOf(item: Item): string | null;
}

/** What the model had before it when it wrote a message. */
export interface ForwardedText {
  /**
   * True where the text stands before the message in something that was sent, or where that would take too long to rule out.
   * Items of `path` are looked at first.
   */
  mayStand(text: string, messageIndex: number, path: string | null): boolean;
}

/** Characters looked through for one request. */
const CHARS_MAX = 16_777_216;
const ROW_NUMBER = /^ *\d+(?:\u2192|\t|:)/gm;

/** The text of one request as it was sent, released items as their markers. */
export function createForwardedText(input: ForwardedInput): ForwardedText {
  const { transcript, decisions, pathOf } = input;
  let chars = 0;

  function isIn(item: Item, text: string): boolean {
    const marker = decisions.get(item.key)?.marker;
    const texts = marker === undefined ? textsOf(item, input) : [marker];
    for (const one of texts) chars += one.length;
    return texts.some((one) => hasText(one, text));
  }

  return {
    mayStand(text, messageIndex, path) {
      if (transcript.header.systemTexts.some((one) => one.includes(text))) return true;
      const before = transcript.items.filter((item) => item.messageIndex < messageIndex).reverse();
      const own = path === null ? [] : before.filter((item) => pathOf(item) === path);
      const rest = path === null ? before : before.filter((item) => pathOf(item) !== path);
      for (const item of [...own, ...rest]) if (chars > CHARS_MAX || isIn(item, text)) return true;
      return false;
    },
  };
}

/** True where a text holds another one, also between the line numbers that a read prints. */
export function hasText(text: string, wanted: string): boolean {
  return text.includes(wanted) || (wanted.includes("\n") && withoutRowNumbers(text).includes(wanted));
}

/** A text without the numbers that a read prints before its lines. */
export function withoutRowNumbers(text: string): string {
  return text.replace(ROW_NUMBER, "");
}

/** Every string of a value. */
export function stringsIn(value: JsonValue): readonly string[] {
  const found: string[] = [];
  const waiting: JsonValue[] = [value];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (typeof one === "string") found.push(one);
    else if (typeof one === "object" && one !== null) for (const part of Object.values(one)) waiting.push(part);
  }
  return found;
}

function textsOf(item: Item, { textOf }: ForwardedInput): readonly string[] {
  switch (item.kind) {
    case "call":
      return stringsIn(item.input);
    case "result":
    case "text":
    case "thinking":
      return [textOf(item)];
    case "media":
    case "opaque":
      return [];
  }
}
