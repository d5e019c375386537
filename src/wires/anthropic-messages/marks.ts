import { sha256Hex } from "../../lib/hash.ts";
import { type JsonBytes, type Span, toJsonBytes } from "../../lib/json-scan.ts";
import { decodeString, membersOf } from "../../lib/json-spans.ts";
import type { BlockMark } from "../../model/ports.ts";
import { kindOf, stringAt } from "../shared/value.ts";
import type { AnthropicSource } from "./source.ts";

/** Marks of the blocks of a message of the model, in order; none for a message of unknown shape. */
export function marksOfMessage(source: AnthropicSource, messageIndex: number): readonly BlockMark[] {
  const message = source.messageAt(messageIndex);
  if (message === null || message.layout === null || message.role !== "assistant") return [];
  const { layout } = message;
  const text = toJsonBytes(source.text.bytes.subarray(message.start, message.end));
  const marks =
    layout.kind === "string"
      ? [markOfText(decodeString(text, layout.content))]
      : layout.blocks.map((place) => markOf(text, place));
  return marks.flatMap((mark, blockIndex) => (mark === null ? [] : [{ mark, blockIndex }]));
}

/** The mark of a block by its JSON, as it was streamed. */
export function markOfJson(json: string): string | null {
  const bytes = Buffer.from(json);
  return markOf(toJsonBytes(bytes), { start: 0, end: bytes.length });
}

/**
 * What tells a block: the same however it is written down. A text is told without the white space around it, which clients trim, and
 * without halves of characters, which some leave out; thinking by its signature, and as a text where it has none. Null for a blank
 * text: clients leave it out.
 */
function markOf(text: JsonBytes, span: Span): string | null {
  if (kindOf(text, span) !== "object") return kindOf(text, span);
  const { spans } = membersOf(text, span.start);
  const at = (name: string) => stringAt(text, spans.get(name)) ?? "";
  const type = at("type");
  switch (type) {
    case "text":
      return markOfText(at("text"));
    case "thinking":
      return at("signature") === "" ? markOfText(at("thinking")) : `thinking:${sha256Hex(at("signature"))}`;
    case "redacted_thinking":
      return `redacted_thinking:${sha256Hex(at("data"))}`;
    default: {
      const id = at("id") || at("tool_use_id");
      return id === "" ? type || "object" : `${type}:${id}`;
    }
  }
}

function markOfText(text: string): string | null {
  const trimmed = text.replace(/\p{Surrogate}/gu, "").trim();
  return trimmed === "" ? null : `text:${sha256Hex(trimmed)}`;
}
