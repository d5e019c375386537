import type { Wire } from "../../../src/model/ports.ts";

/** A wire that claims two routes, finds usage by a pattern, and keeps every byte its watchers saw. */
export interface FakeWire extends Wire {
  readonly watched: { readonly isStreaming: boolean; readonly chunks: Uint8Array[] }[];
}

export function createFakeWire(): FakeWire {
  const watched: FakeWire["watched"] = [];
  return {
    name: "fake",
    takes: new Set(),
    watched,
    route(method, path) {
      if (method !== "POST") return null;
      if (path === "/v1/messages") return { kind: "generate", model: null };
      return path === "/v1/messages/count_tokens" ? { kind: "count", model: null } : null;
    },
    read: () => ({ ok: false, words: "this wire reads nothing" }),
    write: (body) => [body],
    headersFor: () => [],
    watch(isStreaming) {
      const chunks: Uint8Array[] = [];
      watched.push({ isStreaming, chunks });
      return {
        push: (chunk) => void chunks.push(Buffer.from(chunk)),
        finish: () => factsOf(Buffer.concat(chunks).toString("utf8")),
      };
    },
    hintsOf: (header) => ({
      sessionId: header("x-session"),
      agentId: header("x-agent"),
      parentAgentId: null,
      isSubscription: false,
    }),
    inline: null,
    errorBody: (kind, words) => Buffer.from(JSON.stringify({ type: "error", error: { type: kind, message: words } })),
  };
}

function factsOf(text: string) {
  const output = /"output_tokens":(\d+)/.exec(text)?.[1];
  const usage = { inputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: Number(output) };
  return {
    usage: output === undefined ? null : usage,
    messageId: /"id":"(\w+)"/.exec(text)?.[1] ?? null,
    stopReason: null,
    errorType: null,
    calls: [],
    isComplete: text.includes("[END]"),
  };
}
