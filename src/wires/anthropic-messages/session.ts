import { type JsonBytes, type Span, scanJson, toJsonBytes } from "../../lib/json-scan.ts";
import { membersOf } from "../../lib/json-spans.ts";
import type { HeaderHints } from "../../model/ports.ts";
import { kindOf, NAME_LENGTH_MAX, nameAt, stringAt } from "../shared/value.ts";

const LEGACY_USER = /^user_.*_session_([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/;

/** Session name inside `metadata.user_id`, as Claude Code writes it: in a name of three parts, or in JSON text. */
export function sessionOf(text: JsonBytes, metadata: Span | undefined): string | null {
  if (metadata === undefined || kindOf(text, metadata) !== "object") return null;
  const user = stringAt(text, membersOf(text, metadata.start).spans.get("user_id"));
  if (user === null) return null;
  const legacy = LEGACY_USER.exec(user)?.[1];
  if (legacy !== undefined) return legacy;
  const inner = toJsonBytes(Buffer.from(user));
  const scan = scanJson(inner);
  if (!scan.ok || kindOf(inner, scan.value) !== "object") return null;
  return nameAt(inner, membersOf(inner, scan.value.start).spans.get("session_id")) || null;
}

/** Tokens of a subscription begin like this; the beta names them as well, whatever they look like. */
const SUBSCRIPTION_TOKEN = /^bearer\s+sk-ant-oat/i;
const SUBSCRIPTION_BETA = /(?:^|,)\s*oauth-/;

function isSubscription(header: (name: string) => string | null): boolean {
  return (
    SUBSCRIPTION_TOKEN.test(header("authorization") ?? "") || SUBSCRIPTION_BETA.test(header("anthropic-beta") ?? "")
  );
}

/** Session names in the headers of Claude Code, and of clients that only name a session (opencode). */
export function hintsOf(header: (name: string) => string | null): HeaderHints {
  const nameIn = (name: string) => {
    const value = header(name) ?? "";
    return value === "" || value.length > NAME_LENGTH_MAX ? null : value;
  };
  return {
    sessionId: nameIn("x-claude-code-session-id") ?? nameIn("x-session-id"),
    agentId: nameIn("x-claude-code-agent-id"),
    parentAgentId: nameIn("x-claude-code-parent-agent-id"),
    isSubscription: isSubscription(header),
  };
}
