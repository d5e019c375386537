import type { HeaderHints } from "../../model/ports.ts";
import { NAME_LENGTH_MAX } from "../shared/value.ts";

/** Headers by which clients name a session, the surest first: Codex, pi and older Codex, opencode; a thread is named where no session is. */
const SESSION_HEADERS = ["session-id", "session_id", "x-session-id"] as const;
const THREAD_HEADERS = ["thread-id", "conversation_id"] as const;

/** What Codex names a request that sums a conversation up: it goes on with that conversation. */
const SUMMARY = "compact";

/** Session names in headers. A thread beside its session's, of a sub-agent, is another sub-agent of the same kind. */
export function hintsOf(header: (name: string) => string | null): HeaderHints {
  const nameIn = (name: string) => {
    const value = header(name) ?? "";
    return value === "" || value.length > NAME_LENGTH_MAX ? null : value;
  };
  const firstOf = (names: readonly string[]) => names.map(nameIn).find((value) => value !== null) ?? null;
  const session = firstOf(SESSION_HEADERS);
  const thread = firstOf(THREAD_HEADERS);
  const told = nameIn("x-openai-subagent");
  const agent = told === SUMMARY ? null : told;
  const isOwnThread = agent !== null && session !== null && thread !== null && thread !== session;
  return {
    sessionId: session ?? thread,
    agentId: isOwnThread ? `${agent} ${thread}` : agent,
    parentAgentId: null,
    isSubscription: (header("chatgpt-account-id") ?? "") !== "",
  };
}
