import { addressOf } from "../../lib/hash.ts";
import type { PlacedAcquisition } from "../../model/acquisition.ts";
import type { BlockTokens } from "../readers/block-tokens.ts";
import type { RecordedBlock, RecordedContext, Scope } from "../recording.ts";
import type { Resident } from "./session-analysis.ts";
import type { UnderstoodHistory } from "./understood-history.ts";

/** How long the content of a context stayed in its window. */
export interface Residency {
  readonly requests: number;
  readonly inputTokens: number;
  readonly overheadTokenTurns: number;
  readonly peakWindow: number;
  /** Token-turns of each call's result, cleared forms included, by call id. */
  readonly resultTokenTurns: ReadonlyMap<string, number>;
  /** Requests that sent each block. */
  readonly requestsOf: ReadonlyMap<RecordedBlock, number>;
}

/** Measures how long each block of a context was sent, in the requests of the scope. */
export function measureResidency(context: RecordedContext, scope: Scope, tokensOf: BlockTokens): Residency {
  const requests = context.requests.filter((request) => scope === "all" || request.isLive);
  const requestsOf = new Map<RecordedBlock, number>();
  let inputTokens = 0;
  let peakWindow = 0;
  for (const request of requests) {
    let window = context.overheadTokens;
    for (const message of request.messages()) {
      for (const block of message.blocks) {
        window += tokensOf(block);
        requestsOf.set(block, (requestsOf.get(block) ?? 0) + 1);
      }
    }
    inputTokens += window;
    peakWindow = Math.max(peakWindow, window);
  }
  const resultTokenTurns = new Map<string, number>();
  for (const [block, count] of requestsOf) {
    if (block.kind !== "result" || block.callId === null) continue;
    resultTokenTurns.set(block.callId, (resultTokenTurns.get(block.callId) ?? 0) + tokensOf(block) * count);
  }
  const overheadTokenTurns = context.overheadTokens * requests.length;
  return { requests: requests.length, inputTokens, overheadTokenTurns, peakWindow, resultTokenTurns, requestsOf };
}

/** The largest residents of a context by token-turns, largest first. */
export function largestResidents(
  context: RecordedContext,
  residency: Residency,
  history: UnderstoodHistory,
  tokensOf: BlockTokens,
  count: number,
): readonly Resident[] {
  const weighed = [...residency.requestsOf].map(([block, requests]) => {
    const tokens = tokensOf(block);
    return { block, requests, tokens, token_turns: tokens * requests };
  });
  weighed.sort((a, b) => b.token_turns - a.token_turns || a.block.line - b.block.line);
  return weighed.slice(0, count).map(({ block, ...figures }) => ({
    label: labelOf(block, history),
    context: context.id,
    address: addressOfBlock(block, history),
    ...figures,
  }));
}

function addressOfBlock(block: RecordedBlock, history: UnderstoodHistory): string | null {
  if (block.kind !== "result" || block.callId === null) return null;
  const result = history.results.get(block.callId);
  return result === undefined ? null : addressOf(result.key);
}

/** Says what a block is without quoting it. */
function labelOf(block: RecordedBlock, history: UnderstoodHistory): string {
  const placed = block.callId === null ? undefined : history.placed.get(block.callId);
  const where = block.line > 0 ? `, line ${block.line}` : "";
  if (block.kind === "result") return placed === undefined ? `a result${where}` : nameOf(placed);
  if (block.kind === "call") return `arguments of ${placed === undefined ? block.toolName : nameOf(placed)}`;
  if (block.kind === "text") return `text of the ${block.role}${where}`;
  return `${block.kind}${where}`;
}

const COMMAND_CHARS_MAX = 60;

function nameOf(placed: PlacedAcquisition): string {
  const { tool, path, command, printed } = placed.acquisition;
  if (path === null) {
    const line = command?.split("\n")[0] ?? "";
    return `${tool} ${line.length > COMMAND_CHARS_MAX ? `${line.slice(0, COMMAND_CHARS_MAX - 1)}…` : line}`.trim();
  }
  return `${tool} ${path}${printed === null ? "" : `:${printed.start}-${printed.end}`}`;
}
