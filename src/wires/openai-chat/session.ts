import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import type { HeaderHints } from "../../model/ports.ts";
import { NAME_LENGTH_MAX, nameAt } from "../shared/value.ts";

/**
 * Names of a conversation in the body: OpenRouter's `session_id` (https://openrouter.ai/docs/api-reference/overview), and the key
 * that agents set to the name of their conversation so that its requests meet one cache.
 */
export function sessionOf(text: JsonBytes, top: ReadonlyMap<string, Span>): string | null {
  return nameAt(text, top.get("session_id")) || nameAt(text, top.get("prompt_cache_key")) || null;
}

/** Headers in which agents name their conversation, the most telling first. */
const SESSION_HEADERS = ["x-session-id", "session-id", "session_id", "x-session-affinity", "conversation_id"];

/** Headers that only go out with a person's own sign-in at GitHub Copilot or ChatGPT. */
const SUBSCRIPTION_HEADERS = ["copilot-integration-id", "chatgpt-account-id"];

/** Session names in the headers of opencode, pi, Codex and what follows their customs. */
export function hintsOf(header: (name: string) => string | null): HeaderHints {
  const nameIn = (name: string) => {
    const value = header(name) ?? "";
    return value === "" || value.length > NAME_LENGTH_MAX ? null : value;
  };
  return {
    sessionId: SESSION_HEADERS.map(nameIn).find((name) => name !== null) ?? null,
    agentId: null,
    parentAgentId: null,
    isSubscription: SUBSCRIPTION_HEADERS.some((name) => nameIn(name) !== null),
  };
}
