import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { kindOf } from "../shared/value.ts";
import { isObject } from "../shared/watch.ts";
import { THINKING_MEMBERS } from "./thinking-members.ts";

/** What the model thought, by member: texts grow, and so do lists. */
export type ThinkingDraft = ReadonlyMap<string, JsonValue>;

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

/** The members as JSON with commas between; "" for none. */
export function thinkingJson(draft: ThinkingDraft): string {
  return Array.from(draft, ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",");
}

function grown(before: JsonValue | undefined, added: JsonValue): JsonValue {
  if (typeof before === "string" && typeof added === "string") return before + added;
  if (!Array.isArray(before) || !Array.isArray(added)) return added;
  const list: JsonValue[] = [...before];
  for (const element of added) {
    const merged = joined(list.at(-1), element);
    if (merged === null) list.push(element);
    else list[list.length - 1] = merged;
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
