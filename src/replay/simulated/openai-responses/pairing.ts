import type { JsonObject } from "../../../model/json.ts";
import { isObject, stringOf } from "../json.ts";
import { refused } from "../openai/errors.ts";
import type { Refusal } from "../refusal.ts";
import { CALL_KINDS, type CallKind, isModelOutput, typeOfItem } from "./item.ts";
import { openContent } from "./seal.ts";

/** Ends the id of an item that the model made right behind reasoning: the rest of it is the id of that reasoning. */
export const BEHIND_REASONING = "r";

/**
 * What is wrong between the items of a conversation: a call without its output behind it, an output without its call before it,
 * reasoning without the item it led to or the other way round, content that was not encrypted here. Without `checksContent` any
 * answer may stand behind reasoning, and any content is taken. Words: as clients report
 * them, such as in https://github.com/continuedev/continue/issues/8933 and https://github.com/openai/codex/issues/8145.
 */
export function refuseItemPairing(items: readonly JsonObject[], checksContent: boolean): Refusal | null {
  return refuseCalls(items) ?? refuseReasoning(items, checksContent) ?? (checksContent ? refuseEncrypted(items) : null);
}

function refuseCalls(items: readonly JsonObject[]): Refusal | null {
  const open = new Map<string, CallKind>();
  for (const item of items) {
    const type = typeOfItem(item);
    const called = CALL_KINDS.find(({ call }) => call === type);
    if (called !== undefined) open.set(callIdOf(item), called);
    const answered = CALL_KINDS.find(({ output }) => output === type);
    if (answered === undefined) continue;
    const id = callIdOf(item);
    if (open.get(id)?.output !== type) {
      return refused(`No tool call found for ${answered.words} output with call_id ${id}.`, { param: "input" });
    }
    open.delete(id);
  }
  const [unanswered] = open;
  if (unanswered === undefined) return null;
  const [id, { words }] = unanswered;
  return refused(`No tool output found for ${words} ${id}.`, { param: "input" });
}

function callIdOf({ call_id: callId, id }: JsonObject): string {
  return stringOf(callId ?? id);
}

function refuseReasoning(items: readonly JsonObject[], checksContent: boolean): Refusal | null {
  for (const [index, item] of items.entries()) {
    const id = stringOf(item.id);
    if (typeOfItem(item) === "reasoning") {
      if (isFollowed(id, items[index + 1], checksContent)) continue;
      return refused(`Item '${id}' of type 'reasoning' was provided without its required following item.`, INPUT);
    }
    const reasoningId = reasoningBefore(item);
    if (reasoningId === null || stringOf(items[index - 1]?.id) === reasoningId) continue;
    const words = `Item '${id}' of type '${typeOfItem(item)}' was provided without its required 'reasoning' item: '${reasoningId}'.`;
    return refused(words, INPUT);
  }
  return null;
}

const INPUT = { param: "input" };

/** Several reasoning items may stand one behind the other; an item without an id is taken for the one that is meant. */
function isFollowed(id: string, next: JsonObject | undefined, checksContent: boolean): boolean {
  if (next === undefined) return false;
  if (typeOfItem(next) === "reasoning") return true;
  if (!isModelOutput(next)) return false;
  return !checksContent || next.id === undefined || id === "" || reasoningBefore(next) === id;
}

/** The reasoning that led to this item; null where none did. */
function reasoningBefore(item: JsonObject): string | null {
  const hex = new RegExp(`^[a-z]+_([0-9a-f]{24})${BEHIND_REASONING}$`).exec(stringOf(item.id))?.[1];
  return hex === undefined ? null : `rs_${hex}`;
}

function refuseEncrypted(items: readonly JsonObject[]): Refusal | null {
  for (const item of items) {
    const content = item.encrypted_content;
    if (!isObject(item) || typeof content !== "string") continue;
    const madeFor = openContent(content);
    if (madeFor === null) return unverified(content, "Encrypted content could not be decrypted or parsed.");
    if (typeof item.id === "string" && item.id !== madeFor) {
      return unverified(content, "Encrypted content item_id did not match the target item id.");
    }
  }
  return null;
}

function unverified(content: string, reason: string): Refusal {
  const shown = `${content.slice(0, 4)}...${content.slice(-4)}`;
  const words = `The encrypted content ${shown} could not be verified. Reason: ${reason}`;
  return refused(words, { code: "invalid_encrypted_content" });
}
