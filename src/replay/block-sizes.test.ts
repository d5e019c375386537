import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { createTokenCounter } from "../keeper/token-counter.ts";
import type { JsonObject } from "../model/json.ts";
import { anthropicProvider } from "../providers/anthropic.ts";
import { createBlockSizes } from "./block-sizes.ts";
import { promptTokensOf } from "./measured-prompt.ts";
import { readRecording } from "./readers/recording-file.ts";
import type { RecordedContext } from "./recording.ts";
import { byteCounter, promptOf } from "./simulated/prompt.ts";

const counter = createTokenCounter();
const parts = { counter, traitsOf: anthropicProvider.traitsOf };

async function contextOf(name: string): Promise<RecordedContext> {
  const outcome = await readRecording(join(resolve(import.meta.dirname, "../../test/fixtures/sessions"), name), {
    counter,
  });
  const context = outcome.ok ? outcome.recording.contexts[0] : undefined;
  if (context === undefined) throw new Error(`${name} holds no conversation`);
  return context;
}

/** The same conversation with what the provider would have reported of tokens half as long. */
function doubled(context: RecordedContext): RecordedContext {
  const requests = context.requests.map((request) => ({
    ...request,
    get body() {
      return request.body;
    },
    usage: { inputTokens: 2 * promptTokensOf(request), cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 },
  }));
  return { ...context, requests };
}

test("sizes a conversation's first prompts as the provider counted them", async () => {
  const context = await contextOf("stale-read.jsonl");
  for (const one of [context, doubled(context)]) {
    const sizeOf = createBlockSizes(parts).of(one) ?? undefined;
    for (const request of one.requests.slice(0, 5)) {
      const body: JsonObject = JSON.parse(Buffer.from(request.body).toString());
      const rules = { traits: parts.traitsOf(request.model), counter: byteCounter, sizeOf, isDropped: () => false };
      const reported = promptTokensOf(request);
      expect(Math.abs(promptOf(body, rules).tokens - reported) / reported).toBeLessThan(0.06);
    }
  }
});

test("knows no sizes where no usage was reported", async () => {
  const context = await contextOf("stale-read.jsonl");
  const silent = { ...context, requests: context.requests.map((request) => ({ ...request, usage: null })) };
  expect(createBlockSizes(parts).of(silent)).toBeNull();
});

test("reads no usage after the first five", async () => {
  const context = await contextOf("stale-read.jsonl");
  const later = context.requests.map((request, index) => ({
    ...request,
    get body() {
      return request.body;
    },
    usage: index < 5 || request.usage === null ? request.usage : { ...request.usage, inputTokens: 1_000_000 },
  }));
  const block = { type: "text", text: "some words of a result that is read" };
  const sizes = createBlockSizes(parts);
  const sizeOf = (one: RecordedContext) => [true, false].map((isHead) => sizes.of(one)?.(block, isHead));
  expect(sizeOf({ ...context, requests: later })).toEqual(sizeOf(context));
});
