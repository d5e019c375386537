import type { RecordedBlock, RecordedMessage, RecordedWire } from "../recording.ts";
import { toClearedResult } from "./cleared-result.ts";
import type { Told, ToldEntry, ToldPath } from "./told.ts";

/** Cleared forms of results, made once so that every request sends the same object. */
export type ClearedResults = Map<RecordedBlock, RecordedBlock>;

/**
 * The messages of a path as its client sends them. The results of a response follow it at once, wherever they stand in the log. A
 * call whose result is nowhere on the path is left out, because no API takes a call without a result; so is a result without its call.
 */
export function sentMessages(path: ToldPath, wire: RecordedWire, cleared: ClearedResults): readonly RecordedMessage[] {
  const sent = path.entries.filter(({ told }) => told.kind !== "fold");
  const messages = [...path.opening, ...sent.flatMap((entry) => path.replaced.get(entry) ?? spokenBy(entry.told))];
  const formOf = (result: RecordedBlock): RecordedBlock => {
    if (result.callId === null || !path.clearedIds.has(result.callId)) return result;
    const form = cleared.get(result) ?? toClearedResult(result, wire);
    cleared.set(result, form);
    return form;
  };
  return pairedMessages(messages, wire, formOf, false);
}

/** Everything that entries tell, in the order of the file: nothing cleared or forgotten, calls without a result kept. */
export function wholeMessages(entries: readonly ToldEntry[], wire: RecordedWire): readonly RecordedMessage[] {
  return pairedMessages(
    entries.flatMap(({ told }) => (told.kind === "response" ? [told.message] : spokenBy(told))),
    wire,
    (result) => result,
    true,
  );
}

/** Results whose call is nowhere in the log, which are left out of every request. */
export function orphanResults(entries: readonly ToldEntry[]): readonly RecordedBlock[] {
  const blocks = entries
    .flatMap(({ told }) => (told.kind === "response" ? [told.message] : spokenBy(told)))
    .flatMap((message) => message.blocks);
  const called = new Set(blocks.flatMap((block) => (block.kind === "call" ? [block.callId] : [])));
  return blocks.filter((block) => block.kind === "result" && !called.has(block.callId));
}

function spokenBy(told: Told): readonly RecordedMessage[] {
  if (told.kind === "said") return told.messages;
  if (told.kind === "response") return told.isSentBack ? [told.message] : [];
  return told.kind === "fold" ? told.opening : [];
}

/** Ids of calls may be used again, as some servers do: each call has the next result of its id. */
function pairedMessages(
  messages: readonly RecordedMessage[],
  wire: RecordedWire,
  formOf: (result: RecordedBlock) => RecordedBlock,
  keepsUnanswered: boolean,
): readonly RecordedMessage[] {
  const results = resultsIn(messages);
  const sent: RecordedMessage[] = [];
  const seenIds = new Set<string>();
  const answers: RecordedBlock[] = [];
  const isSent = (block: RecordedBlock): boolean => {
    if (block.kind !== "call" || block.callId === null) return block.kind !== "result";
    const result = results.get(block.callId)?.shift();
    if (result !== undefined) answers.push(formOf(result));
    else if (!keepsUnanswered || seenIds.has(block.callId)) return false;
    seenIds.add(block.callId);
    return true;
  };
  for (const { role, blocks } of messages) {
    const kept = blocks.filter(isSent);
    if (kept.length === 0 || (role === "assistant" && kept.every((block) => block.kind === "thinking"))) continue;
    push(sent, { role, blocks: kept }, wire);
    for (const message of answersOf(answers.splice(0), wire)) push(sent, message, wire);
  }
  return sent;
}

/** Results by the id of their call, in the order they came. */
function resultsIn(messages: readonly RecordedMessage[]): Map<string, RecordedBlock[]> {
  const results = new Map<string, RecordedBlock[]>();
  for (const { blocks } of messages) {
    for (const block of blocks) {
      if (block.kind !== "result" || block.callId === null) continue;
      const known = results.get(block.callId);
      if (known === undefined) results.set(block.callId, [block]);
      else known.push(block);
    }
  }
  return results;
}

/** A chat has one message a result; the other formats take all results of a response together. */
function answersOf(answers: readonly RecordedBlock[], wire: RecordedWire): readonly RecordedMessage[] {
  if (answers.length === 0) return [];
  if (wire === "openai-chat") return answers.map((block) => ({ role: "user", blocks: [block] }));
  return [{ role: "user", blocks: answers }];
}

/** Anthropic Messages has one user message between two responses. */
function push(sent: RecordedMessage[], message: RecordedMessage, wire: RecordedWire): void {
  const last = sent.at(-1);
  const joins =
    wire === "anthropic-messages" && last !== undefined && last.role === message.role && message.role !== "system";
  if (joins) sent[sent.length - 1] = { role: last.role, blocks: [...last.blocks, ...message.blocks] };
  else sent.push(message);
}
