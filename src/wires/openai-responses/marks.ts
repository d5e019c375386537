import { sha256Hex } from "../../lib/hash.ts";
import { type JsonBytes, toJsonBytes } from "../../lib/json-scan.ts";
import type { BlockMark } from "../../model/ports.ts";
import { kindOf, stringAt } from "../shared/value.ts";
import { type Outline, outlineEntry } from "./outline.ts";
import { entriesOf, type ResponsesSource } from "./source.ts";
import { TEXT_TYPES } from "./text.ts";

/** Marks of the entries of a message of the model, in order. */
export function marksOfMessage(source: ResponsesSource, messageIndex: number): readonly BlockMark[] {
  const message = entriesOf(source, messageIndex);
  if (message === null || message.role !== "assistant") return [];
  return message.spans.flatMap(({ start, end }, blockIndex) => {
    const mark = markOf(toJsonBytes(source.text.bytes.subarray(start, end)));
    return mark === null ? [] : [{ mark, blockIndex }];
  });
}

/** The mark of an item by its JSON, as it was streamed. */
export function markOfJson(json: string): string | null {
  return markOf(toJsonBytes(Buffer.from(json)));
}

/**
 * What tells an item: the same however it is written down. A text is told without the white space around it and without halves of
 * characters; reasoning by what is encrypted of it; a call by its id; whatever else by its kind alone, since clients leave out its id
 * and parts of the rest. Null for a blank text, reasoning that nobody could send back, and what only names an item.
 */
function markOf(text: JsonBytes): string | null {
  const outline = outlineEntry(text);
  if (typeof outline === "number") return null;
  const at = (name: string) => stringAt(text, outline.members.get(name)) ?? "";
  switch (outline.type) {
    case "message":
      return markOfText(wordsOf(outline));
    case "reasoning":
      return at("encrypted_content") === "" ? null : `thinking:${sha256Hex(at("encrypted_content"))}`;
    case "item_reference":
    case null:
      return null;
    default:
      return at("call_id") === "" ? `kind:${outline.type}` : `${outline.type}:${at("call_id")}`;
  }
}

function wordsOf({ text, members, lists }: Outline): string {
  const parts = lists.get("content");
  if (parts === undefined) return stringAt(text, members.get("content")) ?? "";
  const strings = parts.flatMap(({ type, members: own }) => {
    const span = TEXT_TYPES.has(type ?? "") ? own.get("text") : own.get("refusal");
    return span !== undefined && kindOf(text, span) === "string" ? [stringAt(text, span) ?? ""] : [];
  });
  return strings.join("");
}

function markOfText(text: string): string | null {
  const trimmed = text.replace(/\p{Surrogate}/gu, "").trim();
  return trimmed === "" ? null : `text:${sha256Hex(trimmed)}`;
}
