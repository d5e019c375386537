import type { TokenCounter } from "../../model/ports.ts";
import type { Usage } from "../../model/usage.ts";
import type { RecordedMessage } from "../recording.ts";
import { type BlockTokens, tokensOfMessages } from "./block-tokens.ts";

/** Only the first requests of a context are fitted, so that later ones can be compared with what was recorded. */
const FITTED_REQUESTS = 5;

/** No system prompt with its tools is as long: what is beyond it was counted of something else. */
const OVERHEAD_TOKENS_MAX = 1_000_000;

/** Tools that Claude Code offers in every conversation, beside those the recording used. */
const OFFERED_TOOLS = ["Bash", "Edit", "Glob", "Grep", "Read", "WebFetch", "Write"];

/** One word of filler is one token, a line of it stays short. */
const FILLER_WORD = " the";
const FILLER_WORDS_PER_LINE = 40;

export interface UsedRequest {
  readonly usage: Usage | null;
  messages(): readonly RecordedMessage[];
}

/**
 * Tokens of system prompt and tools, which a log does not hold: the median of what the provider counted beyond the
 * messages in the first five requests that report a usage. 0 when none does.
 */
export function fitOverhead(requests: readonly UsedRequest[], tokensOf: BlockTokens): number {
  const gaps: number[] = [];
  for (const { usage, messages } of requests) {
    const counted = usage === null ? 0 : usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    const gap = counted > 0 ? counted - tokensOfMessages(tokensOf, messages()) : null;
    if (gap !== null && gap <= OVERHEAD_TOKENS_MAX) gaps.push(gap);
    if (gaps.length === FITTED_REQUESTS) break;
  }
  gaps.sort((a, b) => a - b);
  return Math.max(0, gaps[Math.floor(gaps.length / 2)] ?? 0);
}

export interface StandIn {
  readonly systemText: string;
  /** JSON of the `tools` member. */
  readonly toolsJson: string;
}

/** What stands in for an agent's own words, by which its dialect is recognised. */
export interface AgentWords {
  /** How its system prompt opens; "" where the log itself holds the system prompt as a message. */
  readonly opening: string;
  /** Tools that it offers in every conversation, beside those a recording used. */
  readonly offeredTools: readonly string[];
}

/** What is known of a frame before it is filled up. */
export interface KnownFrame {
  readonly systemText: string | null;
  readonly toolsJson: string;
  readonly opening: string;
  readonly workingDirectory: string | null;
}

/** A system prompt that makes about `tokens` tokens with the tools: the known one, or a stand-in that opens as the agent's does. */
export function standInFor(tokens: number, known: KnownFrame, counter: TokenCounter): StandIn {
  const { toolsJson, workingDirectory } = known;
  const environment = workingDirectory === null ? "" : `\n<env>\nWorking directory: ${workingDirectory}\n</env>`;
  const opening = known.systemText ?? (known.opening === "" ? "" : `${known.opening}${environment}\n`);
  if (opening === "") return { systemText: "", toolsJson };
  const left = Math.max(0, tokens - counter.count(toolsJson) - counter.count(opening));
  const lines: string[] = [];
  for (let words = left; words > 0; words -= FILLER_WORDS_PER_LINE) {
    lines.push(FILLER_WORD.repeat(Math.min(words - 1, FILLER_WORDS_PER_LINE - 1)));
  }
  return { systemText: `${opening}${lines.join("\n")}`, toolsJson };
}

/** Tools of these names, and of those that Claude Code offers in every conversation, as JSON. */
export function claudeToolsJson(usedTools: Iterable<string>): string {
  const names = [...new Set([...OFFERED_TOOLS, ...usedTools])].sort();
  return JSON.stringify(names.map((name) => ({ name, input_schema: { type: "object" } })));
}

/** How Claude Code's system prompt opens. */
export const CLAUDE_OPENING = "You are Claude Code.";
