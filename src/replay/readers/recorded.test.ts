import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { recordedSessions } from "../../../test/support/shared.ts";
import { createTokenCounter } from "../../keeper/token-counter.ts";
import type { RecordedMessage, Recording } from "../recording.ts";
import { createBlockTokens, tokensOfMessages } from "./block-tokens.ts";
import { readRecording } from "./recording-file.ts";

const folder = join(recordedSessions ?? "", "sessions");
const counter = createTokenCounter();

async function readAll(format: string): Promise<Recording[]> {
  const recordings: Recording[] = [];
  for (const name of readdirSync(join(folder, format)).sort()) {
    const outcome = await readRecording(join(folder, format, name), { counter });
    if (outcome.ok) recordings.push(outcome.recording);
  }
  return recordings;
}

/** Calls without a result in the next message, and results without a call in the one before. */
function unpaired(messages: readonly RecordedMessage[]): string[] {
  const words: string[] = [];
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === "assistant") {
      words.push(...open);
      open = new Set(message.blocks.flatMap((block) => (block.kind === "call" ? (block.callId ?? []) : [])));
      continue;
    }
    for (const block of message.blocks) {
      if (block.kind === "result" && !open.delete(block.callId ?? "")) words.push(`result ${block.callId}`);
    }
  }
  return [...words, ...open];
}

describe.skipIf(recordedSessions === null)("recorded sessions", () => {
  it("become requests in which every call has its result, and bodies that are JSON", async () => {
    let requests = 0;
    for (const recording of await readAll("claude-code")) {
      for (const request of recording.contexts.flatMap((context) => context.requests)) {
        requests += 1;
        expect(unpaired(request.messages())).toEqual([]);
        expect(request.messages()[0]?.role).toBe("user");
        expect(() => JSON.parse(Buffer.from(request.body).toString())).not.toThrow();
      }
    }
    expect(requests).toBeGreaterThan(700);
  });

  it("are estimated within a third of what the provider counted, from first request to last", async () => {
    const tokensOf = createBlockTokens(counter);
    const far: string[] = [];
    let compared = 0;
    const contexts = (await readAll("claude-code")).flatMap((recording) => recording.contexts);
    for (const { overheadTokens, requests } of contexts) {
      for (const { usage, messages, messageId } of requests) {
        const recorded = usage === null ? 0 : usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
        if (recorded === 0) continue;
        compared += 1;
        const ratio = (overheadTokens + tokensOfMessages(tokensOf, messages())) / recorded;
        if (ratio < 2 / 3 || ratio > 4 / 3) far.push(`${messageId} ${ratio.toFixed(2)}`);
      }
    }
    expect(compared).toBeGreaterThan(700);
    expect(far.length / compared).toBeLessThan(0.02);
  });
});
