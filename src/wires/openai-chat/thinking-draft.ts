import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { kindOf } from "../shared/value.ts";
import { isObject } from "../shared/watch.ts";
import { THINKING_MEMBERS } from "./thinking-members.ts";

/** What the model thought, by member. */
export type ThinkingDraft = ReadonlyMap<string, Thought>;

/** Texts grow, and so do lists: JSON of their elements with commas between, the last one by itself. */
type Thought =
  | { readonly kind: "value"; readonly value: JsonValue }
  | { readonly kind: "list"; readonly closed: string; readonly last: JsonValue | undefined };

/** Nothing yet. */
export const NO_THINKING: ThinkingDraft = new Map();

/** With what the members of a delta or a message add. */
export function withThinking(draft: ThinkingDraft, text: JsonBytes, members: ReadonlyMap<string, Span>): ThinkingDraft {
  let next = draft;
  for (const name of THINKING_MEMBERS) {
    const span = members.get(name);
    if (span === undefined || kindOf(text, span) === "null") continue;
    const added = JSON.parse(text.bytes.toString("utf8", span.start, span.end)) as JsonValue;
    next = new Map(next).set(name, grown(next.get(name), added));
  }
  return next;
}

/** JSON of each member by its name. */
export function thinkingMembers(draft: ThinkingDraft): ReadonlyMap<string, string> {
  return new Map(Array.from(draft, ([name, thought]) => [name, jsonOf(thought)]));
}

/** The members as JSON with commas between; "" for none. */
export function thinkingJson(draft: ThinkingDraft): string {
  return Array.from(thinkingMembers(draft), ([name, json]) => `${JSON.stringify(name)}:${json}`).join(",");
}

function jsonOf(thought: Thought): string {
  if (thought.kind === "value") return JSON.stringify(thought.value);
  const { closed, last } = thought;
  return last === undefined ? `[${closed}]` : `[${withElement(closed, last)}]`;
}

function withElement(closed: string, element: JsonValue): string {
  return `${closed}${closed === "" ? "" : ","}${JSON.stringify(element)}`;
}

function grown(before: Thought | undefined, added: JsonValue): Thought {
  if (!Array.isArray(added)) {
    const known = before?.kind === "value" ? before.value : null;
    return { kind: "value", value: typeof known === "string" && typeof added === "string" ? known + added : added };
  }
  let list: Extract<Thought, { kind: "list" }> =
    before?.kind === "list" ? before : { kind: "list", closed: "", last: undefined };
  for (const element of added as readonly JsonValue[]) {
    const merged = joined(list.last, element);
    const closed = merged !== null || list.last === undefined ? list.closed : withElement(list.closed, list.last);
    list = { kind: "list", closed, last: merged ?? element };
  }
  return list;
}

/**
 * A piece of a detail that goes on with the one before: its texts grow, its signature comes last. Null where it is another one.
 * Source: https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
function joined(before: JsonValue | undefined, added: JsonValue): JsonObject | null {
  if (!isObject(before) || !isObject(added)) return null;
  const isSame = before.type === added.type && before.index === added.index && typeof added.index === "number";
  if (!isSame || (before.type !== "reasoning.text" && before.type !== "reasoning.summary")) return null;
  const entries = Object.entries(added).map(([name, value]) => {
    const known = before[name];
    const grows = (name === "text" || name === "summary") && typeof known === "string" && typeof value === "string";
    return [name, grows ? known + value : (value ?? known ?? null)] as const;
  });
  return { ...before, ...Object.fromEntries(entries) };
}
