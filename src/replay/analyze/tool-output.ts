import type { FileChange } from "../../model/acquisition.ts";
import type { JsonValue } from "../../model/json.ts";
import type { Residency } from "./residency.ts";
import type { Amount, MediaAmount, ToolAnalysis } from "./session-analysis.ts";
import type { AnalysisParts, UnderstoodHistory } from "./understood-history.ts";

export interface ToolOutput {
  readonly tools: readonly Omit<ToolAnalysis, "share">[];
  readonly overBound: Amount;
  readonly repeats: Amount;
  readonly failedCalls: number;
  readonly images: MediaAmount;
  readonly edits: number;
}

/** What the tools of one history gave back. */
export function measureToolOutput(
  history: UnderstoodHistory,
  residency: Residency,
  parts: Pick<AnalysisParts, "counter" | "bound" | "evidence">,
): ToolOutput {
  const tools = new Map<string, Omit<ToolAnalysis, "share">>();
  const seen = new Set<string>();
  let overBound: Amount = NO_AMOUNT;
  let repeats: Amount = NO_AMOUNT;
  let failedCalls = 0;
  let edits = 0;
  for (const item of history.source.transcript.items) {
    if (item.kind !== "call") continue;
    const result = history.results.get(item.callId);
    const placed = history.placed.get(item.callId);
    const tokens = result === undefined ? 0 : parts.counter.count(history.source.textOf(result));
    const bytes = result?.bytes ?? 0;
    const tokenTurns = residency.resultTokenTurns.get(item.callId) ?? 0;
    const before = tools.get(item.name) ?? { tool: item.name, calls: 0, bytes: 0, tokens: 0, token_turns: 0 };
    tools.set(item.name, {
      tool: item.name,
      calls: before.calls + 1,
      bytes: before.bytes + bytes,
      tokens: before.tokens + tokens,
      token_turns: before.token_turns + tokenTurns,
    });
    const outcome = placed?.acquisition.outcome;
    if (outcome === "failed" || outcome === "interrupted") failedCalls += 1;
    if (placed?.acquisition.changes.some((change) => counts(change, parts.evidence))) edits += 1;
    if (result === undefined || bytes === 0) continue;
    if (bytes > parts.bound.bytes || result.lines > parts.bound.lines) overBound = addAmount(overBound, bytes, tokens);
    const name = `${item.name} ${sortedJson(item.input)} ${result.digest}`;
    if (seen.has(name)) repeats = addAmount(repeats, bytes, tokens);
    seen.add(name);
  }
  const images = {
    count: history.media.length,
    bytes: history.media.reduce((sum, media) => sum + media.bytes, 0),
  };
  return { tools: [...tools.values()], overBound, repeats, failedCalls, images, edits };
}

const NO_AMOUNT: Amount = { count: 0, bytes: 0, tokens: 0 };

/** True for a change that is evidence under the configuration: only that makes reads stale. */
function counts({ source }: FileChange, { bashEdits, harnessNotices }: AnalysisParts["evidence"]): boolean {
  switch (source) {
    case "tool":
      return true;
    case "shell":
      return bashEdits;
    case "notice":
      return harnessNotices;
  }
}

function addAmount(amount: Amount, bytes: number, tokens: number): Amount {
  return { count: amount.count + 1, bytes: amount.bytes + bytes, tokens: amount.tokens + tokens };
}

/** JSON with the members of every object in order, so that equal arguments are equal texts. */
function sortedJson(value: JsonValue): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
