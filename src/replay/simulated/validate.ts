import type { JsonObject, JsonValue } from "../../model/json.ts";
import { refuseMessage } from "./blocks.ts";
import { refuseBreakpoints } from "./breakpoints.ts";
import { type CacheEditRules, refuseCacheEdits } from "./cache-edit-check.ts";
import { blocksOf, mediaOf } from "./content.ts";
import { isDeeperThan, isObject, objectsOf, stringOf } from "./json.ts";
import { refusePairing } from "./pairing.ts";
import type { ModelTraits } from "./prompt.ts";
import { invalid, type Refusal } from "./refusal.ts";

/** Images and documents one request may hold. */
export const MEDIA_MAX = 100;
/** Arrays and objects inside one another; this server's own bound. */
export const NESTING_MAX = 500;

export type Validated =
  | { readonly ok: true; readonly request: JsonObject }
  | { readonly ok: false; readonly refusal: Refusal };

/** Checks a parsed body by the documented rules of the API; the first thing wrong is the refusal. */
export function validate(body: JsonValue, purpose: "generate" | "count", rules: ValidationRules): Validated {
  if (isDeeperThan(body, NESTING_MAX)) return { ok: false, refusal: invalid("The body is nested too deeply.") };
  if (!isObject(body)) return { ok: false, refusal: invalid("Input should be a valid dictionary") };
  const refusal =
    refuseFields(body, purpose) ?? refuseTools(body.tools) ?? refuseBreakpoints(body) ?? refuseMessages(body, rules);
  return refusal === null ? { ok: true, request: body } : { ok: false, refusal };
}

export interface ValidationRules {
  readonly mediaMax: number;
  readonly cacheEdits: CacheEditRules;
  traitsOf(model: string): ModelTraits;
}

function refuseFields(body: JsonObject, purpose: "generate" | "count"): Refusal | null {
  const { model, max_tokens: tokens, system, stream } = body;
  if (typeof model !== "string" || model === "") return invalid("model: Field required");
  if (purpose === "generate" && (typeof tokens !== "number" || !Number.isInteger(tokens) || tokens < 0)) {
    return invalid("max_tokens: Input should be a valid integer of at least 0");
  }
  if (tokens === 0 && stream === true) return invalid("max_tokens: 0 cannot be combined with stream");
  if (system !== undefined && typeof system !== "string" && !(Array.isArray(system) && system.every(isObject))) {
    return invalid("system: Input should be a valid string or a list of text blocks");
  }
  const odd = blocksOf(system).findIndex((block) => block.type !== "text" || typeof block.text !== "string");
  if (odd >= 0) return invalid(`system.${odd}: Input should be a text block`);
  const empty = Array.isArray(system) ? blocksOf(system).findIndex((block) => block.text === "") : -1;
  return empty >= 0 ? invalid(`system.${empty}.text: text content blocks must be non-empty`) : null;
}

function refuseTools(tools: JsonValue | undefined): Refusal | null {
  if (tools === undefined) return null;
  if (!Array.isArray(tools) || !tools.every(isObject)) return invalid("tools: Input should be a valid list");
  const names = objectsOf(tools).map((tool) => stringOf(tool.name));
  const unnamed = names.indexOf("");
  if (unnamed >= 0) return invalid(`tools.${unnamed}.name: Field required`);
  return new Set(names).size === names.length ? null : invalid("tools: Tool names must be unique.");
}

function refuseMessages(body: JsonObject, rules: ValidationRules): Refusal | null {
  const { messages: value, model } = body;
  const traits = rules.traitsOf(stringOf(model));
  const { shape, isOn } = rules.cacheEdits;
  const { mediaMax } = rules;
  if (!Array.isArray(value) || !value.every(isObject)) return invalid("messages: Input should be a valid list");
  const messages = objectsOf(value);
  if (messages.length === 0) return invalid("messages: at least one message is required");
  for (const [index, message] of messages.entries()) {
    const place = { index, isLast: index === messages.length - 1, editType: isOn ? shape.blockType : null };
    const refusal = refuseRole(message, index, traits) ?? refuseMessage(message, place);
    if (refusal !== null) return refusal;
  }
  const media = messages.flatMap((message) => blocksOf(message.content).flatMap(mediaOf)).length;
  if (media > mediaMax) return invalid(`messages: at most ${mediaMax} images and documents are allowed, got ${media}`);
  return refuseCacheEdits(body, rules.cacheEdits) ?? refusePairing(messages);
}

function refuseRole(message: JsonObject, index: number, traits: ModelTraits): Refusal | null {
  const { role } = message;
  if (role === "system" && !traits.allowsSystemMessages) {
    return invalid(`messages.${index}.role: role 'system' is not supported on this model`);
  }
  if (role !== "user" && role !== "assistant" && role !== "system") {
    return invalid(`messages.${index}.role: Input should be 'user' or 'assistant'`);
  }
  if (index === 0 && role !== "user") return invalid('messages: first message must use the "user" role');
  return null;
}
