import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { skipValue } from "../../lib/json-scan.ts";
import { visitMembers } from "../../lib/json-spans.ts";
import type { Splice } from "../shared/splice.ts";
import { kindOf } from "../shared/value.ts";
import type { CallEntry, Chunk } from "./chunk.ts";
import { type RoundUsage, usageSplices } from "./round-usage.ts";

/** An entry of a chunk, and the index that the client knows its call by. */
export interface ShownEntry {
  readonly entry: CallEntry;
  readonly shownIndex: number;
}

/** What of a chunk the client gets otherwise than it came. */
export interface ChunkChange {
  /** Of the calls that it sees; null: all of them, as they came. */
  readonly shown: readonly ShownEntry[] | null;
  /** The id that it knows the message by; null: as it came. */
  readonly idJson: string | null;
  /** The message goes on: it was said before whose it is. */
  readonly isFurther: boolean;
  readonly usage: RoundUsage;
}

/** Names of a delta's members that say nothing by themselves. */
const QUIET: ReadonlySet<string> = new Set(["role", "tool_calls"]);

/** How a chunk is rewritten; none: as it came. */
export function chunkSplices(chunk: Chunk, { shown, idJson, isFurther, usage }: ChunkChange): readonly Splice[] {
  const { text, top, delta, usages } = chunk;
  const id = top.get("id");
  const isOtherId = id !== undefined && idJson !== null && text.bytes.toString("utf8", id.start, id.end) !== idJson;
  const cut = [...(isFurther ? ["role"] : []), ...(shown?.length === 0 ? ["tool_calls"] : [])];
  return [
    ...(isOtherId ? [{ ...id, bytes: Buffer.from(idJson) }] : []),
    ...(delta === null ? [] : memberCuts(text, delta.start, cut)),
    ...entrySplices(chunk, shown ?? []),
    ...(isFurther ? usages.flatMap((span) => usageSplices(usage, text, span)) : []),
  ];
}

/** True where nothing that a client looks at is left of a delta. */
export function isSilent({ text, deltaMembers, entries }: Chunk, shown: readonly ShownEntry[] | null): boolean {
  if (shown === null ? entries.length > 0 : shown.length > 0) return false;
  return [...deltaMembers].every(([name, span]) => QUIET.has(name) || isEmpty(text, span));
}

function isEmpty(text: JsonBytes, span: Span): boolean {
  const kind = kindOf(text, span);
  return kind === "null" || (kind === "string" && span.end - span.start === 2);
}

/** The chunk without its end: what it says goes out now. */
export function openSplices({ text, choice, usages }: Chunk): readonly Splice[] {
  const reason = choice.get("finish_reason");
  const ends = [...(reason === undefined ? [] : [reason]), ...usages];
  return ends.filter((span) => kindOf(text, span) !== "null").map((span) => ({ ...span, bytes: Buffer.from("null") }));
}

/** The chunk without what it says: its end alone. */
export function endSplices({ delta }: Chunk): readonly Splice[] {
  return delta === null ? [] : [{ ...delta, bytes: Buffer.from("{}") }];
}

/** The list with the entries that the client sees, each with its index. */
function entrySplices({ text, deltaMembers, entries }: Chunk, shown: readonly ShownEntry[]): readonly Splice[] {
  const list = deltaMembers.get("tool_calls");
  if (list === undefined || shown.length === 0) return [];
  const isSame = shown.length === entries.length && shown.every(({ entry, shownIndex }) => entry.index === shownIndex);
  if (isSame) return [];
  const written = shown.map(({ entry, shownIndex }) => entryJson(text, entry, shownIndex));
  return [{ ...list, bytes: Buffer.from(`[${written.join(",")}]`) }];
}

function entryJson({ bytes }: JsonBytes, { span, indexSpan }: CallEntry, shownIndex: number): string {
  const { start, end } = span;
  if (indexSpan === null) return `{"index":${shownIndex},${bytes.toString("utf8", start + 1, end)}`;
  return `${bytes.toString("utf8", start, indexSpan.start)}${shownIndex}${bytes.toString("utf8", indexSpan.end, end)}`;
}

interface NamedMember {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Cuts members of these names out of the object at `start`, each with one comma. */
export function memberCuts(text: JsonBytes, start: number, names: readonly string[]): readonly Splice[] {
  if (names.length === 0) return [];
  const members: NamedMember[] = [];
  visitMembers(text, start, (name, valueStart, key) => {
    const end = skipValue(text, valueStart);
    members.push({ name, start: key.start, end });
    return end;
  });
  const isCut = ({ name }: NamedMember) => names.includes(name);
  const firstKept = members.findIndex((member) => !isCut(member));
  return members.flatMap((member, index): readonly Splice[] => {
    if (!isCut(member)) return [];
    // In front of all that stays the comma behind goes too, behind it the comma in front; of nothing that stays all but the last.
    const next = members[index + 1];
    const isLeading = firstKept === -1 || index < firstKept;
    if (isLeading) return [{ start: member.start, end: next?.start ?? member.end, bytes: null }];
    return [{ start: members[index - 1]?.end ?? member.start, end: member.end, bytes: null }];
  });
}
