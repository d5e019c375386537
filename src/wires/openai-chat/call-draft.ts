import type { JsonBytes } from "../../lib/json-scan.ts";
import { scanJson, toJsonBytes } from "../../lib/json-scan.ts";
import type { JsonValue } from "../../model/json.ts";
import { madeCallId } from "../shared/call-id.ts";
import type { CallEntry } from "./chunk.ts";

/** A call of a response while it is told. */
export interface CallDraft {
  /** Index that the provider gave it. */
  readonly index: number;
  /** Index that the client was told; null for a call that is held back. */
  readonly shownIndex: number | null;
  readonly id: string;
  readonly name: string;
  /** Arguments or input so far. */
  readonly words: string;
  readonly isCustom: boolean;
  /** JSON of its other members by name, as of signatures that a provider wants back. */
  readonly others: ReadonlyMap<string, string>;
}

const OWN_MEMBERS: ReadonlySet<string> = new Set(["index", "id", "type", "function", "custom"]);

/** The draft that goes on with what a chunk tells; null where another call begins. */
export function draftOfEntry(drafts: readonly CallDraft[], { index, id, name }: CallEntry): CallDraft | null {
  const last = index === null ? drafts.at(-1) : drafts.findLast((draft) => draft.index === index);
  if (last === undefined) return null;
  const isOther = id !== "" && last.id !== "" && id !== last.id;
  // Where a server states no index, a name begins a call.
  return isOther || (index === null && name !== "" && id !== last.id) ? null : last;
}

/** A call as it begins, held back. */
export function openCall(entry: CallEntry, drafts: readonly CallDraft[]): CallDraft {
  const { id, name, isCustom } = entry;
  const index = entry.index ?? drafts.length;
  return { index, shownIndex: null, id, name, words: "", isCustom, others: new Map() };
}

/** The call with one more piece. Some servers state id and name again in each. */
export function withEntry(draft: CallDraft, text: JsonBytes, { id, name, words, members }: CallEntry): CallDraft {
  const others = new Map(draft.others);
  for (const [member, { start, end }] of members) {
    if (!OWN_MEMBERS.has(member)) others.set(member, text.bytes.toString("utf8", start, end));
  }
  return { ...draft, id: draft.id || id, name: draft.name || name, words: draft.words + words, others };
}

/** The call with an id: the server's, or one made of what tells it where there is none, or one that is `taken`. */
export function identified(draft: CallDraft, place: string, taken: ReadonlySet<string>): CallDraft {
  const { id, index, name, words } = draft;
  return id !== "" && !taken.has(id) ? draft : { ...draft, id: madeCallId("call_", place, index, name, words) };
}

/** What it is called with; null where that is no valid JSON. */
export function inputOf({ words, isCustom }: CallDraft): JsonValue {
  if (isCustom) return words;
  return words.trim() === "" ? {} : isJson(words) ? (JSON.parse(words) as JsonValue) : null;
}

/** As it stands in `tool_calls`. Servers that read the arguments take no text that is not JSON. */
export function jsonOfCall(draft: CallDraft): string {
  const { id, name, words, isCustom, others } = draft;
  const given = words.trim() === "" ? "{}" : isJson(words) ? words : JSON.stringify({ INVALID_JSON: words });
  const call = isCustom
    ? { id, type: "custom", custom: { name, input: words } }
    : { id, type: "function", function: { name, arguments: given } };
  const more = Array.from(others, ([member, json]) => `,${JSON.stringify(member)}:${json}`).join("");
  return `${JSON.stringify(call).slice(0, -1)}${more}}`;
}

function isJson(words: string): boolean {
  return scanJson(toJsonBytes(Buffer.from(words))).ok;
}
