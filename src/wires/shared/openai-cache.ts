import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { membersOf } from "../../lib/json-spans.ts";
import { kindOf, stringAt } from "./value.ts";

/** How OpenAI's formats mark a part of a prompt up to which it is to be remembered. */
export const PROMPT_CACHE_BREAKPOINT = "prompt_cache_breakpoint";

/** The one lifetime of a breakpoint, a minimum. Source: https://developers.openai.com/api/docs/guides/prompt-caching */
export const BREAKPOINT_TTL_MS = 1_800_000;

const IN_MEMORY_TTL_MS = 3_600_000;
const EXTENDED_TTL_MS = 86_400_000;

/** What a request of OpenAI's formats asks of the prompt cache. */
export interface PromptCaching {
  /** The provider marks the end of the prompt by itself. */
  readonly marksEnd: boolean;
  /** The longest that anything of the prompt may be remembered, in milliseconds. */
  readonly longestTtlMs: number;
}

/**
 * `top` holds the members of the body. A prompt stays up to a day unless the request says otherwise: that is the default for most
 * accounts, and the only retention of newer models. In memory it stays an hour at most. Source: the documentation of
 * `prompt_cache_retention` in https://www.javadocs.dev/com.openai/openai-java
 */
export function promptCachingOf(text: JsonBytes, top: ReadonlyMap<string, Span>): PromptCaching {
  const isInMemory = stringAt(text, top.get("prompt_cache_retention")) === "in_memory";
  return {
    marksEnd: modeIn(text, top.get("prompt_cache_options")) !== "explicit",
    longestTtlMs: isInMemory ? IN_MEMORY_TTL_MS : EXTENDED_TTL_MS,
  };
}

/** True for the value of a part's `prompt_cache_breakpoint` that marks it. */
export function isBreakpointAt(text: JsonBytes, span: Span | undefined): boolean {
  return modeIn(text, span) === "explicit";
}

function modeIn(text: JsonBytes, span: Span | undefined): string | null {
  if (span === undefined || kindOf(text, span) !== "object") return null;
  return stringAt(text, membersOf(text, span.start).spans.get("mode"));
}
