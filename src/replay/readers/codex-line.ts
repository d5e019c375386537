import type { Usage } from "../../model/usage.ts";
import type { RecordedBlock } from "../recording.ts";
import { usageIn } from "./reported-usage.ts";
import { readResponsesItem } from "./responses-item.ts";
import { timeOf } from "./time.ts";
import { isRecord, type JsonRecord, kindOf, textOrNull } from "./values.ts";

interface LineBase {
  readonly line: number;
  readonly atMs: number | null;
}

interface CodexMeta {
  readonly kind: "meta";
  readonly sessionId: string | null;
  readonly systemText: string | null;
  readonly isAgent: boolean;
}

/** A line of a rollout as far as requests follow from it. */
export type CodexLine = LineBase &
  (
    | CodexMeta
    | { readonly kind: "item"; readonly block: RecordedBlock }
    | { readonly kind: "model"; readonly model: string | null }
    /** `total` tells a report from its repetitions. */
    | { readonly kind: "usage"; readonly usage: Usage; readonly total: string }
    /** `history` null: the client put the person's messages and the summary in place of everything. */
    | { readonly kind: "fold"; readonly summary: string; readonly history: readonly RecordedBlock[] | null }
    | { readonly kind: "rollback"; readonly turns: number }
  );

const TYPES = new Set(["session_meta", "response_item", "event_msg", "turn_context", "compacted"]);

/** True for a line of a rollout: typed with a payload, or the head that the first versions wrote. */
export function isCodexLine(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (typeof value.type === "string") return TYPES.has(value.type) && isRecord(value.payload);
  return typeof value.id === "string" && typeof value.timestamp === "string" && "instructions" in value;
}

/** Reads one line; null for what no request follows from, words for what cannot be read. */
export function readCodexLine(value: unknown, line: number): CodexLine | string | null {
  if (!isRecord(value)) return `not a line of a rollout: expected an object, got ${kindOf(value)}`;
  const base = { line, atMs: timeOf(value.timestamp) };
  const { payload } = value;
  if (!isRecord(payload)) return readOldLine(value, base);
  switch (value.type) {
    case "session_meta":
      return { ...base, ...metaOf(payload) };
    case "response_item":
      return readItem(payload, base);
    case "turn_context":
      return { ...base, kind: "model", model: textOrNull(payload.model) };
    case "compacted":
      return { ...base, kind: "fold", summary: textOrNull(payload.message) ?? "", history: historyOf(payload, line) };
    case "event_msg":
      return readEvent(payload, base);
  }
  return null;
}

/** The first versions wrote items bare, behind a head of their own. */
function readOldLine(value: JsonRecord, base: LineBase): CodexLine | string | null {
  if (typeof value.type === "string") return readItem(value, base);
  if (value.record_type !== undefined) return null;
  if ("instructions" in value) return { ...base, ...metaOf(value) };
  return "not a line of a rollout: neither a type nor a payload";
}

function metaOf(payload: JsonRecord): CodexMeta {
  const instructions = payload.base_instructions;
  return {
    kind: "meta",
    sessionId: textOrNull(payload.id),
    systemText: isRecord(instructions) ? textOrNull(instructions.text) : null,
    isAgent: isRecord(payload.source) && "subagent" in payload.source,
  };
}

/** Snapshots and other records of the client's own are no items that it sends. */
const UNSENT_ITEMS = new Set(["ghost_snapshot", "other"]);

function readItem(payload: JsonRecord, base: LineBase): CodexLine | string | null {
  if (typeof payload.type === "string" && UNSENT_ITEMS.has(payload.type)) return null;
  const block = readResponsesItem(payload, base.line);
  return block === null ? "not an item of the Responses API" : { ...base, kind: "item", block };
}

function historyOf(payload: JsonRecord, line: number): readonly RecordedBlock[] | null {
  if (!Array.isArray(payload.replacement_history)) return null;
  return payload.replacement_history.flatMap((item) => readResponsesItem(item, line) ?? []);
}

function readEvent(payload: JsonRecord, base: LineBase): CodexLine | null {
  if (payload.type === "thread_rolled_back" && typeof payload.num_turns === "number") {
    return { ...base, kind: "rollback", turns: payload.num_turns };
  }
  if (payload.type !== "token_count" || !isRecord(payload.info) || !isRecord(payload.info.last_token_usage))
    return null;
  const last = payload.info.last_token_usage;
  const cached = { cached_tokens: last.cached_input_tokens };
  const usage = usageIn("openai-responses", { ...last, input_tokens_details: cached });
  return usage === null
    ? null
    : { ...base, kind: "usage", usage, total: JSON.stringify(payload.info.total_token_usage ?? last) };
}
