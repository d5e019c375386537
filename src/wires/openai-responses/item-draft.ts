import { type JsonBytes, type Span, toJsonBytes } from "../../lib/json-scan.ts";
import { membersOf } from "../../lib/json-spans.ts";
import type { JsonValue } from "../../model/json.ts";
import { madeCallId, withMember } from "../shared/call-id.ts";
import { stringAt } from "../shared/value.ts";
import { parseValue } from "../shared/watch.ts";
import { qualifiedName } from "./call.ts";

/** An item of a response's output while it is told. */
export interface ItemDraft {
  readonly type: string;
  /** Place that the provider gave it. */
  readonly index: number;
  /** Place that the client was told; null for an item that is held back. */
  readonly shownIndex: number | null;
  readonly callId: string;
  readonly name: string;
  /** JSON of the whole item; null until it is told. */
  readonly json: string | null;
}

/** An item as it begins. `span` is an object. */
export function openItem(index: number, text: JsonBytes, span: Span): ItemDraft {
  const { spans } = membersOf(text, span.start);
  const at = (name: string) => stringAt(text, spans.get(name)) ?? "";
  const name = qualifiedName(at("namespace"), at("name"));
  return { type: at("type"), index, shownIndex: null, callId: at("call_id"), name, json: null };
}

/** The item as it ended. */
export function endItem(draft: ItemDraft, text: JsonBytes, span: Span): ItemDraft {
  const { index, shownIndex } = draft;
  return { ...openItem(index, text, span), shownIndex, json: text.bytes.toString("utf8", span.start, span.end) };
}

/** True for a call that is Ebb's to answer. */
export function isOwnCall({ type, callId, name }: ItemDraft, toolNames: ReadonlySet<string>): boolean {
  return type === "function_call" && callId !== "" && toolNames.has(name);
}

/** The call with an id of its own, made of what tells it, where its own one is `taken`. */
export function identified(draft: ItemDraft, taken: ReadonlySet<string>): ItemDraft {
  const { callId, index, json } = draft;
  if (json === null || !taken.has(callId)) return draft;
  const made = madeCallId("call_", index, json);
  return { ...draft, callId: made, json: withMember(json, "call_id", made) };
}

/** Arguments of a call; null where they are no valid JSON. No arguments are none. */
export function inputOf({ json }: ItemDraft): JsonValue {
  const told = stringIn(json, "arguments");
  if (told === null || told.trim() === "") return {};
  return parseValue(Buffer.from(told)) ?? null;
}

/** True for reasoning that the provider does not keep, and that nobody could send back. */
export function isForgotten({ type, json }: ItemDraft): boolean {
  return type === "reasoning" && (stringIn(json, "encrypted_content") ?? "") === "";
}

function stringIn(json: string | null, member: string): string | null {
  if (json === null) return null;
  const text = toJsonBytes(Buffer.from(json));
  return stringAt(text, membersOf(text, 0).spans.get(member));
}
