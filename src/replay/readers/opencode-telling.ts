import type { Usage } from "../../model/usage.ts";
import type { RecordedMessage, RecordedProblem } from "../recording.ts";
import { readBlocks, toTextBlock } from "./blocks.ts";
import type { OpencodeMessage } from "./opencode.ts";
import { callBlock, personBlocks, resultBlock, resultEndMs, thinkingBlock } from "./opencode-parts.ts";
import { createTeller, type Teller } from "./teller.ts";
import { timeOf } from "./time.ts";
import type { ToldEntry } from "./told.ts";
import { countOrZero, isRecord, type JsonRecord, textOrNull } from "./values.ts";

/** What the client asks with, and opens a compacted history with. */
const COMPACTION_QUESTION = "What did we do so far?";

/** Puts messages and their parts in the API's form: one response a step, the results of its calls behind it. */
export function tellOpencode(messages: readonly OpencodeMessage[], problems: RecordedProblem[]): readonly ToldEntry[] {
  const teller = createTeller();
  const cleared = clearedParts(messages);
  const entryOf = new Map<string, ToldEntry>();
  let tailFrom: ToldEntry | null = null;
  for (const { info, parts } of messages) {
    const before = teller.last();
    if (info.role === "user") {
      tellPerson(teller, info, parts, problems);
      const compaction = parts.find(({ type }) => type === "compaction");
      tailFrom = entryOf.get(String(compaction?.tail_start_id)) ?? null;
    } else {
      const askedMs = timeOf(recordOf(info.time).created);
      tellClearings(teller, cleared, askedMs);
      for (const step of stepsOf(parts)) tellStep(teller, info, step, step === parts ? askedMs : null, problems);
      if (info.summary === true) tellFold(teller, parts, tailFrom);
    }
    const first = firstAfter(teller, before);
    if (first !== null && typeof info.id === "string") entryOf.set(info.id, first);
  }
  return teller.entries;
}

function firstAfter({ entries }: Teller, before: ToldEntry | null): ToldEntry | null {
  return entries[before === null ? 0 : entries.indexOf(before) + 1] ?? null;
}

function tellPerson(teller: Teller, info: JsonRecord, parts: readonly JsonRecord[], problems: RecordedProblem[]): void {
  const isCompaction = parts.some(({ type }) => type === "compaction");
  const content = isCompaction ? [{ type: "text", text: COMPACTION_QUESTION }] : personBlocks(parts);
  const read = readBlocks("user", content, 0);
  problems.push(...read.problems);
  const place = { line: 0, atMs: timeOf(recordOf(info.time).created) };
  if (read.blocks.length > 0) teller.tell({ kind: "said", messages: [{ role: "user", blocks: read.blocks }] }, place);
}

/** An older message holds several steps of the model, each begun by a part of its own. */
function stepsOf(parts: readonly JsonRecord[]): readonly (readonly JsonRecord[])[] {
  const starts = parts.flatMap(({ type }, index) => (type === "step-start" ? [index] : []));
  if (starts.length < 2) return [parts];
  return starts.map((start, index) => parts.slice(index === 0 ? 0 : start, starts[index + 1]));
}

function tellStep(
  teller: Teller,
  info: JsonRecord,
  parts: readonly JsonRecord[],
  askedMs: number | null,
  problems: RecordedProblem[],
): void {
  const tools = parts.filter(({ type }) => type === "tool");
  const content = parts.flatMap((part) => {
    if (part.type === "text") return part.ignored === true ? [] : [{ type: "text", text: textOrNull(part.text) ?? "" }];
    return part.type === "reasoning" ? [thinkingBlock(part)] : part.type === "tool" ? [callBlock(part)] : [];
  });
  const read = readBlocks("assistant", content, 0);
  problems.push(...read.problems);
  const finish = parts.find(({ type }) => type === "step-finish");
  const usage = usageOf(finish?.tokens ?? info.tokens);
  if (read.blocks.length === 0 && (usage === null || usage.outputTokens === 0)) return;
  const message: RecordedMessage = { role: "assistant", blocks: read.blocks };
  const facts = { model: textOrNull(info.modelID), messageId: textOrNull(info.id), usage, askedMs, isSentBack: true };
  teller.tell({ kind: "response", message, ...facts }, { line: 0, atMs: timeOf(recordOf(info.time).completed) });
  for (const tool of tools) tellResult(teller, tool, problems);
}

function tellResult(teller: Teller, part: JsonRecord, problems: RecordedProblem[]): void {
  const result = resultBlock(part);
  if (result === null) return;
  const read = readBlocks("user", [result], 0);
  problems.push(...read.problems);
  teller.tell(
    { kind: "said", messages: [{ role: "user", blocks: read.blocks }] },
    { line: 0, atMs: resultEndMs(part) },
  );
}

function tellFold(teller: Teller, parts: readonly JsonRecord[], keptFrom: ToldEntry | null): void {
  const summary = parts
    .flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
    .join("\n");
  const opening: RecordedMessage[] = [
    { role: "user", blocks: [toTextBlock("user", COMPACTION_QUESTION, 0)] },
    { role: "assistant", blocks: [toTextBlock("assistant", summary, 0)] },
  ];
  teller.tell({ kind: "fold", opening, keptFrom }, { line: 0, atMs: null });
}

interface ClearedPart {
  readonly callId: string;
  readonly atMs: number;
}

/** Results that the client pruned, and when; oldest last. */
function clearedParts(messages: readonly OpencodeMessage[]): ClearedPart[] {
  const cleared = messages.flatMap(({ parts }) =>
    parts.flatMap((part): ClearedPart[] => {
      const atMs = timeOf(recordOf(recordOf(part.state).time).compacted);
      return atMs === null || typeof part.callID !== "string" ? [] : [{ callId: part.callID, atMs }];
    }),
  );
  return cleared.sort((a, b) => b.atMs - a.atMs);
}

/** Tells, before a request, what was pruned before it was sent. */
function tellClearings(teller: Teller, cleared: ClearedPart[], askedMs: number | null): void {
  if (askedMs === null) return;
  const callIds = new Set<string>();
  for (let next = cleared.at(-1); next !== undefined && next.atMs < askedMs; next = cleared.at(-1)) {
    callIds.add(next.callId);
    cleared.pop();
  }
  if (callIds.size > 0) teller.tell({ kind: "clear", callIds }, { line: 0, atMs: null });
}

/** The client's own input leaves out what was cached. */
function usageOf(tokens: unknown): Usage | null {
  if (!isRecord(tokens)) return null;
  const cache = recordOf(tokens.cache);
  return {
    inputTokens: countOrZero(tokens.input),
    cacheReadTokens: countOrZero(cache.read),
    cacheWriteTokens: countOrZero(cache.write),
    outputTokens: countOrZero(tokens.output) + countOrZero(tokens.reasoning),
  };
}

function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}
