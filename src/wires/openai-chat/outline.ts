import { type JsonBytes, type Span, skipValue } from "../../lib/json-scan.ts";
import { visitMembers } from "../../lib/json-spans.ts";
import { stringAt } from "../shared/value.ts";
import { type ObjectOutline, visitObjects } from "./object.ts";

/** A message by the spans of its parts, before any of them is read. */
export interface Outline {
  /** Begins with the message; what follows it is none of it. */
  readonly text: JsonBytes;
  readonly span: Span;
  /** As it is stated; null without one. */
  readonly roleName: string | null;
  readonly members: ReadonlyMap<string, Span>;
  /** Parts of list content; null for any other content. */
  readonly parts: readonly ObjectOutline[] | null;
  /** Null where no list of calls is stated. */
  readonly calls: readonly ObjectOutline[] | null;
  readonly hasDuplicates: boolean;
}

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** Finds the parts of the message that `text` begins with; a failure where it is no valid JSON. */
export function outlineMessage(text: JsonBytes): Outline | number {
  const members = new Map<string, Span>();
  const lists = new Map<string, ObjectOutline[]>();
  let hasDuplicates = false;
  const visit = (key: string, start: number) => {
    const isList = (key === "content" || key === "tool_calls") && text.bytes[start] === OPEN_BRACKET;
    const list: ObjectOutline[] = [];
    const end = isList ? visitObjects(text, start, list) : skipValue(text, start);
    if (isList) lists.set(key, list);
    else lists.delete(key);
    hasDuplicates ||= members.has(key);
    members.set(key, { start, end });
    return end;
  };
  const end = text.bytes[0] === OPEN_BRACE ? visitMembers(text, 0, visit) : skipValue(text, 0);
  if (end < 0) return end;
  return {
    text,
    span: { start: 0, end },
    roleName: stringAt(text, members.get("role")),
    members,
    parts: lists.get("content") ?? null,
    calls: lists.get("tool_calls") ?? null,
    hasDuplicates,
  };
}

/** True for instructions to the model, which begin every conversation of one agent alike. */
export function isInstruction({ roleName }: Pick<Outline, "roleName">): boolean {
  return roleName === "system" || roleName === "developer";
}
