import { type ClassifiedReads, sumReads } from "./read-classes.ts";
import type { Residency } from "./residency.ts";
import type {
  Amount,
  Figures,
  MediaAmount,
  ReadAmount,
  ReadsAnalysis,
  ToolAnalysis,
  WouldDo,
} from "./session-analysis.ts";
import type { ToolOutput } from "./tool-output.ts";

/** What was measured in one context. */
export interface MeasuredContext {
  readonly reads: ClassifiedReads;
  readonly output: ToolOutput;
  readonly residency: Residency;
}

/** The figures of one file's contexts together. */
export function figuresOf(contexts: number, measured: readonly MeasuredContext[]): Figures {
  const inputTokens = sum(measured, ({ residency }) => residency.inputTokens);
  return {
    contexts,
    requests: sum(measured, ({ residency }) => residency.requests),
    reads: sumReads(measured.map(({ reads }) => reads)),
    edits: sum(measured, ({ output }) => output.edits),
    tools: joinTools(
      measured.flatMap(({ output }) => output.tools),
      inputTokens,
    ),
    over_bound: addAmounts(measured.map(({ output }) => output.overBound)),
    repeats: addAmounts(measured.map(({ output }) => output.repeats)),
    failed_calls: sum(measured, ({ output }) => output.failedCalls),
    images: addMedia(measured.map(({ output }) => output.images)),
    input_tokens: inputTokens,
    overhead_token_turns: sum(measured, ({ residency }) => residency.overheadTokenTurns),
    peak_window: Math.max(0, ...measured.map(({ residency }) => residency.peakWindow)),
  };
}

/** The figures of several files together. */
export function addFigures(parts: readonly Figures[]): Figures {
  const inputTokens = sum(parts, (part) => part.input_tokens);
  return {
    contexts: sum(parts, (part) => part.contexts),
    requests: sum(parts, (part) => part.requests),
    reads: addReads(parts.map((part) => part.reads)),
    edits: sum(parts, (part) => part.edits),
    tools: joinTools(
      parts.flatMap((part) => part.tools),
      inputTokens,
    ),
    over_bound: addAmounts(parts.map((part) => part.over_bound)),
    repeats: addAmounts(parts.map((part) => part.repeats)),
    failed_calls: sum(parts, (part) => part.failed_calls),
    images: addMedia(parts.map((part) => part.images)),
    input_tokens: inputTokens,
    overhead_token_turns: sum(parts, (part) => part.overhead_token_turns),
    peak_window: parts.reduce((peak, part) => Math.max(peak, part.peak_window), 0),
  };
}

/** What Ebb would do in several files together; null when one of them was not asked for. */
export function addWould(parts: readonly (WouldDo | null)[]): WouldDo | null {
  const released = new Map<string, WouldDo["released"][number]>();
  const declined = new Map<string, WouldDo["declined"][number]>();
  for (const part of parts) {
    if (part === null) return null;
    for (const one of part.released) {
      const name = `${one.reason} ${one.moment}`;
      const before = released.get(name) ?? { ...one, count: 0, tokens: 0 };
      released.set(name, { ...one, count: before.count + one.count, tokens: before.tokens + one.tokens });
    }
    for (const one of part.declined) {
      declined.set(one.reason, { ...one, items: (declined.get(one.reason)?.items ?? 0) + one.items });
    }
  }
  return { released: [...released.values()], declined: [...declined.values()] };
}

/** One entry per tool, most token-turns first. */
function joinTools(tools: readonly Omit<ToolAnalysis, "share">[], inputTokens: number): readonly ToolAnalysis[] {
  const byName = new Map<string, Omit<ToolAnalysis, "share">>();
  for (const tool of tools) {
    const before = byName.get(tool.tool);
    byName.set(tool.tool, {
      tool: tool.tool,
      calls: (before?.calls ?? 0) + tool.calls,
      bytes: (before?.bytes ?? 0) + tool.bytes,
      tokens: (before?.tokens ?? 0) + tool.tokens,
      token_turns: (before?.token_turns ?? 0) + tool.token_turns,
    });
  }
  const joined = [...byName.values()].map(({ tool, calls, bytes, tokens, token_turns }) => {
    return { tool, calls, bytes, tokens, token_turns, share: inputTokens === 0 ? null : token_turns / inputTokens };
  });
  return joined.sort((a, b) => b.token_turns - a.token_turns || b.tokens - a.tokens || (a.tool < b.tool ? -1 : 1));
}

function addReads(parts: readonly ReadsAnalysis[]): ReadsAnalysis {
  const total = sum(parts, ({ stale, superseded, fresh }) => stale.tokens + superseded.tokens + fresh.tokens);
  const join = (amounts: readonly ReadAmount[]): ReadAmount => {
    const amount = addAmounts(amounts);
    return { ...amount, share: total === 0 ? null : amount.tokens / total };
  };
  return {
    stale: join(parts.map((part) => part.stale)),
    superseded: join(parts.map((part) => part.superseded)),
    fresh: join(parts.map((part) => part.fresh)),
    images: addMedia(parts.map((part) => part.images)),
    failed: sum(parts, (part) => part.failed),
    unanswered: sum(parts, (part) => part.unanswered),
  };
}

function addAmounts(parts: readonly Amount[]): Amount {
  return {
    count: sum(parts, (part) => part.count),
    bytes: sum(parts, (part) => part.bytes),
    tokens: sum(parts, (part) => part.tokens),
  };
}

function addMedia(parts: readonly MediaAmount[]): MediaAmount {
  return { count: sum(parts, (part) => part.count), bytes: sum(parts, (part) => part.bytes) };
}

function sum<Part>(parts: readonly Part[], of: (part: Part) => number): number {
  return parts.reduce((total, part) => total + of(part), 0);
}
