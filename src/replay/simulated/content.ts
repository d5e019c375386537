import type { JsonObject, JsonValue } from "../../model/json.ts";
import { isObject, objectsOf, omit, stringOf } from "./json.ts";

const ATTRIBUTION = "x-anthropic-billing-header:";

/** Content as blocks: a string is one text block. */
export function blocksOf(content: JsonValue | undefined): readonly JsonObject[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : objectsOf(content);
}

/**
 * The block as the provider sees it: without `cache_control` here and in nested content, and with a tool result's
 * string content as one text block. Call arguments and schemas are never touched.
 */
export function normalBlock(block: JsonObject): JsonObject {
  const bare = omit(block, "cache_control");
  if (bare.type === "tool_result" && typeof bare.content === "string") {
    return { ...bare, content: bare.content === "" ? [] : blocksOf(bare.content) };
  }
  if (!Array.isArray(bare.content)) return bare;
  return { ...bare, content: bare.content.map((inner: JsonValue) => (isObject(inner) ? normalBlock(inner) : inner)) };
}

/** System blocks that are part of the prompt: the client's attribution text in first place is not. */
export function systemBlocksOf(request: JsonObject): readonly JsonObject[] {
  const blocks = blocksOf(request.system);
  const first = blocks[0];
  return first !== undefined && stringOf(first.text).startsWith(ATTRIBUTION) ? blocks.slice(1) : blocks;
}

/** Tools that are part of the prompt: deferred ones stay out of it. */
export function promptToolsOf(request: JsonObject): readonly JsonObject[] {
  return objectsOf(request.tools).filter((tool) => tool.defer_loading !== true);
}

/** True for thinking in any form. */
export function isThinking(block: JsonObject): boolean {
  return block.type === "thinking" || block.type === "redacted_thinking";
}

/** Images and documents of a block, itself or inside its content. */
export function mediaOf(block: JsonObject): readonly JsonObject[] {
  if (block.type === "image" || block.type === "document") return [block];
  return block.type === "tool_result" ? objectsOf(block.content).flatMap(mediaOf) : [];
}

/** Texts a person or the client wrote in a message, tool results apart. */
export function textsOf(message: JsonObject | undefined): readonly string[] {
  return blocksOf(message?.content)
    .filter((block) => block.type === "text")
    .map((block) => stringOf(block.text));
}
