import { type JsonBytes, type Span, skipValue } from "../../lib/json-scan.ts";
import { visitElements, visitMembers } from "../../lib/json-spans.ts";
import { stringAt } from "../shared/value.ts";

/** An object of the body by the spans of its members; anything else has none. */
export interface Part {
  readonly span: Span;
  readonly type: string | null;
  readonly members: ReadonlyMap<string, Span>;
  readonly hasDuplicates: boolean;
}

/** An entry by its parts, before any of them is read. */
export interface Outline extends Part {
  /** Begins with the entry; what follows it is none of it. */
  readonly text: JsonBytes;
  readonly role: string | null;
  /** Elements of its members that are lists of parts. */
  readonly lists: ReadonlyMap<string, readonly Part[]>;
}

const LISTS: ReadonlySet<string> = new Set(["content", "output", "summary"]);
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** Finds the parts of the entry that `text` begins with; a failure where it is no valid JSON. */
export function outlineEntry(text: JsonBytes): Outline | number {
  const lists = new Map<string, readonly Part[]>();
  const entry = outlinePart(text, 0, (key, start) => {
    lists.delete(key);
    if (!LISTS.has(key) || text.bytes[start] !== OPEN_BRACKET) return skipValue(text, start);
    const parts: Part[] = [];
    lists.set(key, parts);
    return visitParts(text, start, parts);
  });
  if (typeof entry === "number") return entry;
  const { members } = entry;
  const role = stringAt(text, members.get("role"));
  // Whoever leaves the type out sends a message, or only names an item that the provider keeps.
  const type = members.has("type") ? entry.type : untyped(role, members);
  return { ...entry, type, role, text, lists };
}

function untyped(role: string | null, members: Part["members"]): string | null {
  if (role !== null) return "message";
  return members.has("id") ? "item_reference" : null;
}

function visitParts(text: JsonBytes, start: number, parts: Part[]): number {
  return visitElements(text, start, (valueStart) => {
    const part = outlinePart(text, valueStart, (_key, memberStart) => skipValue(text, memberStart));
    if (typeof part === "number") return part;
    parts.push(part);
    return part.span.end;
  });
}

function outlinePart(
  text: JsonBytes,
  start: number,
  visit: (key: string, valueStart: number) => number,
): Part | number {
  const members = new Map<string, Span>();
  let hasDuplicates = false;
  const isObject = text.bytes[start] === OPEN_BRACE;
  const end = isObject
    ? visitMembers(text, start, (key, valueStart) => {
        const valueEnd = visit(key, valueStart);
        hasDuplicates ||= members.has(key);
        members.set(key, { start: valueStart, end: valueEnd });
        return valueEnd;
      })
    : skipValue(text, start);
  if (end < 0) return end;
  return { span: { start, end }, type: stringAt(text, members.get("type")), members, hasDuplicates };
}
