import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import { listOf, objectOf } from "./canonical-body.ts";

/** A body that left, with what came in the place of these markers. */
export function withPutBack(left: Uint8Array, came: Uint8Array, markers: ReadonlySet<string>): Uint8Array {
  const [body, original] = [parsed(left), parsed(came)];
  const before = listOf(original.messages);
  const messages = listOf(body.messages).map((message, index) => {
    const { content, ...rest } = objectOf(message);
    const blocks = listOf(objectOf(before[index]).content);
    if (!Array.isArray(content)) return { ...rest, content: content ?? null };
    return { ...rest, content: listOf(content).map((block, at) => blockPutBack(block, blocks[at], markers)) };
  });
  return Buffer.from(JSON.stringify({ ...body, messages }));
}

function parsed(bytes: Uint8Array): JsonObject {
  return objectOf(JSON.parse(Buffer.from(bytes).toString("utf8")));
}

function blockPutBack(after: JsonValue, before: JsonValue | undefined, markers: ReadonlySet<string>): JsonValue {
  const block = objectOf(after);
  if (isMarker(block, markers)) return before ?? after;
  if (block.type !== "tool_result" || block.content === undefined) return after;
  return { ...block, content: contentPutBack(block.content, objectOf(before).content ?? null, markers) };
}

/** Texts and attachments keep their places, but where several texts gave way to one there is nothing but texts. */
function contentPutBack(after: JsonValue, before: JsonValue, markers: ReadonlySet<string>): JsonValue {
  if (typeof after === "string") return markers.has(after) ? before : after;
  const [parts, originals] = [listOf(after), listOf(before)];
  const isGone = (part: JsonValue) => isMarker(objectOf(part), markers);
  if (parts.length !== originals.length) return parts.some(isGone) ? before : after;
  return parts.map((part, index) => (isGone(part) ? (originals[index] ?? part) : part));
}

function isMarker({ type, text }: JsonObject, markers: ReadonlySet<string>): boolean {
  return type === "text" && typeof text === "string" && markers.has(text);
}
