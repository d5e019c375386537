import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import { isObject } from "../../../src/replay/simulated/json.ts";

/**
 * A body as the provider would have to read it for the cache to reach as far as it can: without what the client re-shapes between
 * requests, and without what loses the cache on some models only. Attachments are no media here, so that their number is no matter.
 */
export function canonicalBody(bytes: Uint8Array): JsonObject {
  const body = objectOf(JSON.parse(Buffer.from(bytes).toString("utf8")));
  const { thinking, messages, ...rest } = body;
  return {
    ...rest,
    ...(objectOf(thinking).type === "enabled" && thinking !== undefined ? { thinking } : {}),
    messages: listOf(messages).map((message) => canonicalMessage(objectOf(message))),
  };
}

/** Blocks of all messages in order, as a canonical body has them. */
export function blocksOf({ messages }: JsonObject): readonly JsonObject[] {
  return listOf(messages).flatMap((message) => contentOf(objectOf(message)));
}

/** The same body with the block at this index, over all messages, in another form. */
export function withBlock(body: JsonObject, index: number, change: (block: JsonObject) => JsonObject): JsonObject {
  let at = 0;
  const messages = listOf(body.messages).map((message) => {
    const content = contentOf(objectOf(message)).map((block) => (at++ === index ? change(block) : block));
    return { ...objectOf(message), content };
  });
  return { ...body, messages };
}

export function objectOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function contentOf({ content }: JsonObject): readonly JsonObject[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).map(objectOf);
}

/** Parallel results stand in the order of their calls; breakpoints keep their places. */
function canonicalMessage(message: JsonObject): JsonObject {
  const blocks = contentOf(message);
  const isResult = ({ type }: JsonObject) => type === "tool_result";
  const results = blocks.filter(isResult).sort((one, other) => numberOf(one) - numberOf(other));
  const ordered = [...results, ...blocks.filter((block) => !isResult(block))].map(canonicalBlock);
  return { ...message, content: ordered.map((block, index) => marked(block, blocks[index]?.cache_control)) };
}

function marked({ cache_control: _, ...block }: JsonObject, control: JsonValue | undefined): JsonObject {
  return control === undefined ? block : { ...block, cache_control: control };
}

function canonicalBlock(block: JsonObject): JsonObject {
  switch (block.type) {
    case "tool_use":
      return { ...block, input: canonicalInput(objectOf(block.input)) };
    case "tool_result": {
      const { is_error, content, ...rest } = block;
      const parts = Array.isArray(content) ? content.map((part) => canonicalBlock(objectOf(part))) : content;
      return {
        ...rest,
        ...(is_error === true ? { is_error } : {}),
        ...(parts === undefined ? {} : { content: parts }),
      };
    }
    case "image":
      return { ...block, type: "picture" };
    default:
      return block;
  }
}

/** Without the default that clients add, its members in one order. */
function canonicalInput({ replace_all, ...input }: JsonObject): JsonObject {
  const names = Object.keys(input).sort();
  const members = Object.fromEntries(names.map((name) => [name, input[name] ?? null]));
  return replace_all === undefined || replace_all === false ? members : { ...members, replace_all };
}

function numberOf({ tool_use_id }: JsonObject): number {
  return Number(String(tool_use_id).replace(/\D/g, ""));
}
