import { type Span, scanJson, toJsonBytes } from "../../lib/json-scan.ts";
import { membersOf } from "../../lib/json-spans.ts";
import type { JsonValue } from "../../model/json.ts";
import { madeCallId, withMember } from "../shared/call-id.ts";
import { kindOf, stringAt } from "../shared/value.ts";
import type { ToldWords } from "./stream-delta.ts";
import type { ToldValue } from "./stream-event.ts";

/** A block of a response while it is told: how it began, and what was added to it since. */
export interface BlockDraft {
  readonly type: string;
  /** Index that the provider gave it. */
  readonly index: number;
  /** Index that the client was told; null for a call that is held back. */
  readonly shownIndex: number | null;
  readonly id: string;
  readonly name: string;
  /** JSON of the block as it began. */
  readonly openedJson: string;
  /** By member. */
  readonly additions: ReadonlyMap<string, Addition>;
}

/**
 * `text` goes behind the string that the block began with, `elements` behind those of its list; `arguments` are JSON in pieces and,
 * like `json`, stand in the place of what the block began with.
 */
interface Addition {
  readonly kind: "text" | "elements" | "arguments" | "json";
  readonly written: string;
}

/** Where a call's arguments are no object, so that the API would not take them back. */
const INVALID_INPUT = "INVALID_JSON";
const NO_INPUT = "{}";

/** A block as it begins. */
export function openBlock(index: number, { text, span }: ToldValue): BlockDraft {
  const spans = kindOf(text, span) === "object" ? membersOf(text, span.start).spans : new Map<string, Span>();
  return {
    type: stringAt(text, spans.get("type")) ?? "",
    index,
    shownIndex: null,
    id: stringAt(text, spans.get("id")) ?? "",
    name: stringAt(text, spans.get("name")) ?? "",
    openedJson: text.bytes.toString("utf8", span.start, span.end),
    additions: new Map(),
  };
}

/** The block with one more delta. Members of a delta of unknown kind are added by what they are: strings and lists grow. */
export function addDelta(draft: BlockDraft, delta: ToldValue | ToldWords): BlockDraft {
  const additions = new Map(draft.additions);
  if ("words" in delta) addWords(additions, delta);
  else addMembers(additions, delta);
  return { ...draft, additions };
}

function addMembers(additions: Map<string, Addition>, { text, span }: ToldValue): void {
  for (const [member, value] of membersOf(text, span.start).spans) {
    const json = text.bytes.toString("utf8", value.start, value.end);
    const kind = kindOf(text, value);
    const words = stringAt(text, value);
    if (member === "type" || kind === "null") continue;
    if (words !== null) addWords(additions, { member, words });
    else if (member === "citation") grow(additions, "citations", "elements", json, ",");
    else if (kind === "array") grow(additions, member, "elements", json.slice(1, -1).trim(), ",");
    else additions.set(member, { kind: "json", written: json });
  }
}

function addWords(additions: Map<string, Addition>, { member, words }: ToldWords): void {
  if (member === "partial_json") grow(additions, "input", "arguments", words, "");
  else grow(additions, member, "text", words, "");
}

function grow(
  additions: Map<string, Addition>,
  member: string,
  kind: Addition["kind"],
  words: string,
  between: string,
): void {
  const before = additions.get(member);
  const written = before?.kind === kind ? before.written : "";
  const glue = written === "" || words === "" ? "" : between;
  additions.set(member, { kind, written: `${written}${glue}${words}` });
}

/** The call with an id of its own, made of what tells it, where its own one is `taken`. */
export function identified(draft: BlockDraft, taken: ReadonlySet<string>): BlockDraft {
  const { id, index } = draft;
  if (!taken.has(id)) return draft;
  const made = madeCallId("toolu_", index, blockJson(draft));
  return { ...draft, id: made, openedJson: withMember(draft.openedJson, "id", made) };
}

/** JSON of the block as the API takes it back. */
export function blockJson({ openedJson, additions }: BlockDraft): string {
  if (additions.size === 0) return openedJson;
  const text = toJsonBytes(Buffer.from(openedJson));
  const members = new Map<string, string>();
  for (const [member, { start, end }] of membersOf(text, 0).spans)
    members.set(member, text.bytes.toString("utf8", start, end));
  for (const [member, addition] of additions) members.set(member, written(addition, members.get(member)));
  return `{${Array.from(members, ([member, json]) => `${JSON.stringify(member)}:${json}`).join(",")}}`;
}

/** Arguments of a call; null where they are no valid JSON. */
export function inputOf({ openedJson, additions }: BlockDraft): JsonValue {
  const told = additions.get("input");
  if (told?.kind === "arguments" && told.written.trim() !== "") return parsed(told.written);
  const text = toJsonBytes(Buffer.from(openedJson));
  const input = membersOf(text, 0).spans.get("input");
  return input === undefined ? {} : parsed(text.bytes.toString("utf8", input.start, input.end));
}

/** True for a text that shows nothing: the API takes none back, and clients leave it out. */
export function isBlankText(draft: BlockDraft): boolean {
  if (draft.type !== "text") return false;
  const text = toJsonBytes(Buffer.from(blockJson(draft)));
  return (stringAt(text, membersOf(text, 0).spans.get("text")) ?? "").trim() === "";
}

function written({ kind, written: added }: Addition, before: string | undefined): string {
  switch (kind) {
    case "text":
      return JSON.stringify(`${stringOf(before)}${added}`);
    case "elements": {
      const elements = before?.startsWith("[") === true ? before.slice(1, -1).trim() : "";
      return `[${[elements, added].filter((part) => part !== "").join(",")}]`;
    }
    case "arguments":
      return added.trim() === "" ? (before ?? NO_INPUT) : argumentsJson(added);
    case "json":
      return added;
  }
}

function stringOf(json: string | undefined): string {
  if (json?.startsWith('"') !== true) return "";
  const bytes = Buffer.from(json);
  return stringAt(toJsonBytes(bytes), { start: 0, end: bytes.length }) ?? "";
}

/** Halves of characters stand as escapes, as in every JSON that is sent as UTF-8. */
function argumentsJson(told: string): string {
  const json = told.replace(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
  const text = toJsonBytes(Buffer.from(json));
  const scan = scanJson(text);
  return scan.ok && kindOf(text, scan.value) === "object" ? json : JSON.stringify({ [INVALID_INPUT]: told });
}

function parsed(json: string): JsonValue {
  return scanJson(toJsonBytes(Buffer.from(json))).ok ? (JSON.parse(json) as JsonValue) : null;
}
