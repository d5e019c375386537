import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { membersOf } from "../../lib/json-spans.ts";
import type { Splice } from "../shared/splice.ts";
import { countAt } from "./chunk.ts";

/** What the answers of the rounds cost, as far as it was told. */
export interface RoundUsage {
  /** Of this round, as last told. */
  readonly tokens: number;
  /** Of the rounds before it. */
  readonly earlierTokens: number;
}

/** No round yet. */
export const NO_USAGE: RoundUsage = { tokens: 0, earlierTokens: 0 };

/** The same rounds, and another one that begins. */
export function nextRound({ tokens, earlierTokens }: RoundUsage): RoundUsage {
  return { tokens: 0, earlierTokens: earlierTokens + tokens };
}

/** As it is told. `span` is an object. */
export function updateUsage(usage: RoundUsage, text: JsonBytes, span: Span): RoundUsage {
  const tokens = countAt(text, membersOf(text, span.start).spans.get("completion_tokens"));
  return tokens === null ? usage : { ...usage, tokens };
}

/**
 * The usage of the last round as that of all: the prompt is that of the last, which says how full the window is, and the answers of
 * all rounds count together.
 */
export function usageSplices({ earlierTokens }: RoundUsage, text: JsonBytes, span: Span): readonly Splice[] {
  const { spans } = membersOf(text, span.start);
  return ["completion_tokens", "total_tokens"].flatMap((name): readonly Splice[] => {
    const told = spans.get(name);
    const count = countAt(text, told);
    if (told === undefined || count === null) return [];
    return [{ ...told, bytes: Buffer.from(String(count + earlierTokens)) }];
  });
}
