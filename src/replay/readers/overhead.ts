import type { TokenCounter } from "../../model/ports.ts";
import type { Usage } from "../../model/usage.ts";
import type { RecordedMessage } from "../recording.ts";
import { type BlockTokens, tokensOfMessages } from "./block-tokens.ts";

/** Only the first requests of a context are fitted, so that later ones can be compared with what was recorded. */
const FITTED_REQUESTS = 5;

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
    if (counted > 0) gaps.push(counted - tokensOfMessages(tokensOf, messages()));
    if (gaps.length === FITTED_REQUESTS) break;
  }
  gaps.sort((a, b) => a - b);
  return Math.max(0, gaps[Math.floor(gaps.length / 2)] ?? 0);
}

export interface StandIn {
  readonly systemText: string;
  readonly toolsJson: string;
}

/** A system prompt and tools of about `tokens` tokens; the tools carry the names the agent offers. */
export function standInFor(
  tokens: number,
  usedTools: Iterable<string>,
  workingDirectory: string | null,
  counter: TokenCounter,
): StandIn {
  const names = [...new Set([...OFFERED_TOOLS, ...usedTools])].sort();
  const toolsJson = JSON.stringify(names.map((name) => ({ name, input_schema: { type: "object" } })));
  const environment = workingDirectory === null ? "" : `\n<env>\nWorking directory: ${workingDirectory}\n</env>`;
  const opening = `You are Claude Code.${environment}\n`;
  const left = Math.max(0, tokens - counter.count(toolsJson) - counter.count(opening));
  const lines: string[] = [];
  for (let words = left; words > 0; words -= FILLER_WORDS_PER_LINE) {
    lines.push(FILLER_WORD.repeat(Math.min(words - 1, FILLER_WORDS_PER_LINE - 1)));
  }
  return { systemText: `${opening}${lines.join("\n")}`, toolsJson };
}
