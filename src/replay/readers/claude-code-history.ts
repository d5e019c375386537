import type { RecordedBlock, RecordedMessage, Scope } from "../recording.ts";
import type { AssistantLine, LogLine } from "./claude-code-line.ts";
import type { LocatedResult, LogThread } from "./claude-code-threads.ts";
import { toClearedResult } from "./cleared-result.ts";
import { withOpening } from "./missing-start.ts";

/** Cleared forms of a thread's results, made once so that every request sends the same object. */
export type ClearedResults = Map<RecordedBlock, RecordedBlock>;

/**
 * The history that ends with `leaf`, along the chain of parents. All lines of a response stand together at the place
 * of its first; its results follow it at once, wherever they hang in the chain. A call whose result is nowhere in the
 * file is left out: the API refuses a call without a result, so the client cannot have sent it.
 */
export function sentHistory(
  thread: LogThread,
  leaf: LogLine | null,
  cleared: ClearedResults,
): readonly RecordedMessage[] {
  const path = pathTo(thread, leaf);
  const clearedIds = new Set<string>();
  for (const line of path) if (line.kind === "clear") for (const id of line.callIds) clearedIds.add(id);
  const resultOf = (located: LocatedResult): RecordedBlock => {
    if (located.block.callId === null || !clearedIds.has(located.block.callId)) return located.block;
    const known = cleared.get(located.block);
    if (known !== undefined) return known;
    const made = toClearedResult(located.block);
    cleared.set(located.block, made);
    return made;
  };
  return assemble(thread, path, resultOf, false);
}

/** When a history was sent: the newest time among the user lines after its last response, results included. */
export function sentTime(thread: LogThread, leaf: LogLine | null): number | null {
  let newest: number | null = null;
  const note = (atMs: number | null): void => {
    if (atMs !== null && (newest === null || atMs > newest)) newest = atMs;
  };
  let at = leaf;
  for (let steps = 0; at !== null && steps <= thread.lines.length; steps += 1) {
    if (at.kind === "user") note(at.atMs);
    if (at.kind === "assistant") {
      for (const block of responseBlocks(thread, at)) note(thread.results.get(block.callId ?? "")?.atMs ?? null);
      break;
    }
    at = thread.parentOf(at);
  }
  return newest;
}

/** Everything a scope of the thread holds, in the order of the file, nothing cleared and unanswered calls kept. */
export function wholeHistory(thread: LogThread, scope: Scope): readonly RecordedMessage[] {
  const lines = scope === "all" ? thread.lines : thread.lines.filter((line) => line.line > thread.foldLine);
  return assemble(thread, lines, (located) => located.block, true);
}

/** From the line a history begins with down to `leaf`. */
function pathTo(thread: LogThread, leaf: LogLine | null): readonly LogLine[] {
  const path: LogLine[] = [];
  let at = leaf;
  while (at !== null && path.length <= thread.lines.length) {
    if (at.kind === "fold" || (thread.kind !== "main" && !at.isSidechain)) break;
    path.push(at);
    if (at.kind === "user" && at.isSummary) break;
    at = thread.parentOf(at);
  }
  return path.reverse();
}

interface Draft {
  readonly role: "user" | "assistant";
  /** Results stand before everything else in their message, as the API wants them. */
  readonly results: RecordedBlock[];
  readonly rest: RecordedBlock[];
}

function assemble(
  thread: LogThread,
  lines: readonly LogLine[],
  resultOf: (located: LocatedResult) => RecordedBlock,
  keepsUnanswered: boolean,
): readonly RecordedMessage[] {
  const drafts: Draft[] = [];
  const seenResponses = new Set<string>();
  const seenCalls = new Set<string>();
  for (const line of lines) {
    if (line.kind === "user") {
      const rest = line.blocks.filter((block) => block.kind !== "result");
      if (rest.length > 0) userDraft(drafts).rest.push(...rest);
    }
    if (line.kind !== "assistant" || seenResponses.has(line.messageId)) continue;
    seenResponses.add(line.messageId);
    addResponse(thread, responseBlocks(thread, line), drafts, seenCalls, resultOf, keepsUnanswered);
  }
  return withOpening(drafts.map((draft) => ({ role: draft.role, blocks: [...draft.results, ...draft.rest] })));
}

function responseBlocks(thread: LogThread, line: AssistantLine): readonly RecordedBlock[] {
  return (thread.responses.get(line.messageId) ?? [line]).flatMap((part) => part.blocks);
}

function addResponse(
  thread: LogThread,
  blocks: readonly RecordedBlock[],
  drafts: Draft[],
  seenCalls: Set<string>,
  resultOf: (located: LocatedResult) => RecordedBlock,
  keepsUnanswered: boolean,
): void {
  const sent: RecordedBlock[] = [];
  const results: LocatedResult[] = [];
  for (const block of blocks) {
    if (block.kind === "call" && block.callId !== null) {
      const located = thread.results.get(block.callId);
      if (seenCalls.has(block.callId) || (located === undefined && !keepsUnanswered)) continue;
      seenCalls.add(block.callId);
      if (located !== undefined) results.push(located);
    }
    sent.push(block);
  }
  if (sent.every((block) => block.kind === "thinking")) return;
  drafts.push({ role: "assistant", results: [], rest: sent });
  if (results.length === 0) return;
  results.sort((a, b) => a.line - b.line);
  userDraft(drafts).results.push(...results.map(resultOf));
}

/** The user message at the end, begun when the last one is a response. */
function userDraft(drafts: Draft[]): Draft {
  const last = drafts.at(-1);
  if (last?.role === "user") return last;
  const draft: Draft = { role: "user", results: [], rest: [] };
  drafts.push(draft);
  return draft;
}
