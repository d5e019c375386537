import { expect, test } from "vitest";
import { createAnthropicMessages } from "../wires/anthropic-messages/index.ts";
import { readableBy } from "./recorded-wire.ts";
import type { RecordedContext, Recording } from "./recording.ts";

const wires = [createAnthropicMessages()];

function context(id: string, wire: RecordedContext["wire"]): RecordedContext {
  const nothing = { kind: "main", sessionId: null, requests: [], overheadTokens: 0, problems: [] } as const;
  return { ...nothing, id, wire, history: () => new Uint8Array() };
}

function recording(...contexts: readonly RecordedContext[]): Recording {
  return { file: "f", format: "requests", contexts, problems: [] };
}

test("a recording whose format no wire reads is refused in words", () => {
  const outcome = readableBy(recording(context("a", "gemini")), wires);
  expect(outcome).toEqual({
    ok: false,
    words: "its requests are in the format gemini, which is none of the wires here",
  });
});

test("conversations that a wire reads are kept, and the others are named", () => {
  const outcome = readableBy(recording(context("a", "gemini"), context("b", "anthropic-messages")), wires);
  if (!outcome.ok) throw new Error(outcome.words);
  expect(outcome.recording.contexts.map(({ id }) => id)).toEqual(["b"]);
  expect(outcome.recording.problems.map(({ words }) => words)).toEqual([
    "a: its requests are in the format gemini, which is none of the wires here",
  ]);
});
