import type { Block } from "./conversation.ts";

/** What a provider says of an invented answer. */
export interface LogUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly output_tokens: number;
}

/** A Claude Code log of one conversation, written line by line. */
export interface SessionLog {
  say(role: "user" | "assistant", content: string | readonly Block[], waitMs?: number): void;
  /** The lines so far, as a file holds them. */
  text(): string;
}

const USAGE: LogUsage = {
  input_tokens: 1,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  output_tokens: 1,
};

/** Begins a log in the folder `/w`. Every answer reports the same usage. */
export function createSessionLog(model: string, usage: LogUsage = USAGE): SessionLog {
  const lines: string[] = [];
  let atMs = Date.UTC(2026, 0, 1);
  return {
    say(role, content, waitMs = 1_000) {
      atMs += waitMs;
      const number = lines.length + 1;
      const answer = { id: `msg_${number}`, type: "message", role, model, content, usage };
      const line = {
        parentUuid: number === 1 ? null : `u${number - 1}`,
        isSidechain: false,
        cwd: "/w",
        sessionId: "s",
        version: "2.0.75",
        type: role,
        message: role === "user" ? { role, content } : answer,
        uuid: `u${number}`,
        timestamp: new Date(atMs).toISOString(),
      };
      lines.push(JSON.stringify(line));
    },
    text: () => `${lines.join("\n")}\n`,
  };
}
