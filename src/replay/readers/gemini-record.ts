import type { RecordedProblem } from "../recording.ts";
import { isRecord, type JsonRecord } from "./values.ts";

/** What a chat's lines come to, in the order in which it grew. */
export type GeminiStep =
  /** A message as it was written last, at the place where it was written first. */
  | { readonly kind: "message"; readonly id: string; readonly value: JsonRecord; readonly line: number }
  /** The conversation goes on behind this message; null: from its beginning. */
  | { readonly kind: "rewind"; readonly toId: string | null }
  /** The client put other messages in place of all: a compaction. */
  | { readonly kind: "fold"; readonly line: number };

/** Takes a chat line by line: its head, messages, changes of the head, and rewinds. */
export interface GeminiRecord {
  readonly problems: readonly RecordedProblem[];
  add(value: JsonRecord, line: number): void;
  head(): JsonRecord;
  steps(): readonly GeminiStep[];
}

interface Growing {
  readonly kind: "message";
  readonly id: string;
  value: JsonRecord;
  readonly line: number;
}

type Step = Growing | Exclude<GeminiStep, { kind: "message" }>;

/** Begins a chat. */
export function createGeminiRecord(): GeminiRecord {
  const steps: Step[] = [];
  const problems: RecordedProblem[] = [];
  const byId = new Map<string, Growing>();
  let head: JsonRecord = {};
  /** Ids of the messages that the client still holds. */
  let held: string[] = [];
  const put = (value: JsonRecord, line: number): void => {
    const id = typeof value.id === "string" ? value.id : `line ${line}, ${held.length}`;
    const known = held.includes(id) ? byId.get(id) : undefined;
    if (known !== undefined) {
      known.value = value;
      return;
    }
    const step: Growing = { kind: "message", id, value, line };
    byId.set(id, step);
    held.push(id);
    steps.push(step);
  };
  const replaceAll = (messages: readonly unknown[], line: number): void => {
    const values = messages.filter(isRecord);
    const kept = commonIds(values, held);
    if (kept < held.length) {
      if (kept === 0 && values.length > 0 && held.length > 0) steps.push({ kind: "fold", line });
      else steps.push({ kind: "rewind", toId: held[kept - 1] ?? null });
      held = held.slice(0, kept);
    }
    for (const value of values) put(value, line);
  };
  return {
    problems,
    head: () => head,
    steps: () => steps,
    add(value, line) {
      if (typeof value.$rewindTo === "string") {
        const at = held.indexOf(value.$rewindTo);
        held = held.slice(0, Math.max(at, 0));
        steps.push({ kind: "rewind", toId: held.at(-1) ?? null });
      } else if (typeof value.id === "string" && typeof value.type === "string") put(value, line);
      else {
        const patch = isRecord(value.$set) ? value.$set : value;
        if (!isRecord(value.$set) && typeof value.sessionId !== "string") {
          problems.push({ line, words: "neither a message nor a change of the chat's head" });
          return;
        }
        const { messages, ...rest } = patch;
        head = { ...head, ...rest };
        if (Array.isArray(messages)) replaceAll(messages, line);
      }
    },
  };
}

/** How many messages at the beginning are those the client held. */
function commonIds(values: readonly JsonRecord[], held: readonly string[]): number {
  let count = 0;
  while (count < held.length && values[count]?.id === held[count]) count += 1;
  return count;
}
