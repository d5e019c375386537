import type { JsonObject } from "../../../model/json.ts";
import type { ApiState, HeldAnswer } from "../api.ts";
import { isObject, objectsOf, stringOf } from "../json.ts";
import { missing, refused, wrongType } from "../openai/errors.ts";
import type { Refusal } from "../refusal.ts";

/** Answers the server holds; the oldest leave first. */
export const HELD_ANSWERS_MAX = 2_000;

export type History =
  | {
      readonly ok: true;
      /** Everything the model sees: what is held, then the request's own items. */
      readonly items: readonly JsonObject[];
      /** The request's own items. */
      readonly own: readonly JsonObject[];
    }
  | { readonly ok: false; readonly refusal: Refusal };

/** The items of a request behind those of the answers it goes on from, references resolved. */
export function historyOf(body: JsonObject, { held }: ApiState): History {
  const own = ownItems(body);
  if (!own.ok) return own;
  const previousId = body.previous_response_id;
  if (previousId !== undefined && previousId !== null && !held.has(stringOf(previousId))) {
    const words = `Previous response with id '${stringOf(previousId)}' not found.`;
    const place = { param: "previous_response_id", code: "previous_response_not_found" };
    return { ok: false, refusal: refused(words, place) };
  }
  const known = own.items.some(isStoredElsewhere) ? itemsById(held) : new Map<string, JsonObject>();
  const resolved: JsonObject[] = [];
  for (const item of own.items) {
    const found = isStoredElsewhere(item) ? known.get(stringOf(item.id)) : item;
    if (found === undefined) return { ok: false, refusal: notFound(stringOf(item.id), body.store === false) };
    resolved.push(item.type === "item_reference" ? found : item);
  }
  return { ok: true, items: [...heldItems(stringOf(previousId), held), ...resolved], own: resolved };
}

/** What is held once this answer was given; nothing of a request that asks not to be stored. */
export function heldWith(state: ApiState, id: string, answer: HeldAnswer): ReadonlyMap<string, HeldAnswer> {
  const next = new Map(state.held);
  next.set(id, answer);
  for (const oldest of next.keys()) {
    if (next.size <= HELD_ANSWERS_MAX) break;
    next.delete(oldest);
  }
  return next;
}

type Own =
  | { readonly ok: true; readonly items: readonly JsonObject[] }
  | { readonly ok: false; readonly refusal: Refusal };

function ownItems({ input, previous_response_id: previousId }: JsonObject): Own {
  if (typeof input === "string") {
    return { ok: true, items: [{ type: "message", role: "user", content: [{ type: "input_text", text: input }] }] };
  }
  if (input === undefined) {
    return typeof previousId === "string" ? { ok: true, items: [] } : { ok: false, refusal: missing("input") };
  }
  if (!Array.isArray(input) || !input.every(isObject)) {
    return { ok: false, refusal: wrongType("input", "one of a string or array of objects", input) };
  }
  return { ok: true, items: objectsOf(input) };
}

/** Reasoning without its content is looked up by its id, like a reference. */
function isStoredElsewhere(item: JsonObject): boolean {
  if (item.type === "item_reference") return true;
  return item.type === "reasoning" && typeof item.encrypted_content !== "string" && typeof item.id === "string";
}

function itemsById(held: ApiState["held"]): ReadonlyMap<string, JsonObject> {
  const items = [...held.values()].flatMap((answer) => answer.items);
  return new Map(items.map((item) => [stringOf(item.id), item]));
}

function notFound(id: string, isUnstored: boolean): Refusal {
  const hint = isUnstored
    ? " Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input."
    : "";
  return refused(`Item with id '${id}' not found.${hint}`, { param: "input" }, 404);
}

function heldItems(id: string, held: ApiState["held"]): readonly JsonObject[] {
  const chain: (readonly JsonObject[])[] = [];
  let current = held.get(id);
  while (current !== undefined && chain.length < HELD_ANSWERS_MAX) {
    chain.push(current.items);
    current = current.previousId === null ? undefined : held.get(current.previousId);
  }
  return chain.toReversed().flat();
}
