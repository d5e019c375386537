import { type JsonBytes, type Span, skipValue } from "../../lib/json-scan.ts";
import { membersOf, visitElements, visitMembers } from "../../lib/json-spans.ts";
import { kindOf } from "../shared/value.ts";

/** An element of a list by its members' spans; one that is no object has none. */
export interface ObjectOutline {
  readonly span: Span;
  readonly members: ReadonlyMap<string, Span>;
  readonly hasDuplicates: boolean;
}

const OPEN_BRACE = 0x7b;

/** Walks the list at `start` into `objects` without reading any value. Answers the list's end, or a failure. */
export function visitObjects(text: JsonBytes, start: number, objects: ObjectOutline[]): number {
  return visitElements(text, start, (valueStart) => visitObject(text, valueStart, objects));
}

/** Members of the object at the span; none where it is absent or anything else. */
export function membersAt(text: JsonBytes, span: Span | undefined): ReadonlyMap<string, Span> {
  if (span === undefined || kindOf(text, span) !== "object") return new Map();
  return membersOf(text, span.start).spans;
}

function visitObject(text: JsonBytes, start: number, objects: ObjectOutline[]): number {
  const members = new Map<string, Span>();
  let hasDuplicates = false;
  const isObject = text.bytes[start] === OPEN_BRACE;
  const end = !isObject
    ? skipValue(text, start)
    : visitMembers(text, start, (key, valueStart) => {
        const valueEnd = skipValue(text, valueStart);
        hasDuplicates ||= members.has(key);
        members.set(key, { start: valueStart, end: valueEnd });
        return valueEnd;
      });
  if (end >= 0) objects.push({ span: { start, end }, members, hasDuplicates });
  return end;
}
