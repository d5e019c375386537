import { describe, expect, it } from "vitest";
import { factsOfRefusal } from "../../../test/support/signing-provider.ts";
import { createAnthropicMessages } from "./index.ts";

const wire = createAnthropicMessages();
const NO_MEMO = { get: () => undefined, set: () => undefined };

function takesDrop(thinking: string): boolean {
  const member = thinking === "" ? "" : `"thinking":${thinking},`;
  const body = Buffer.from(`{"model":"m",${member}"messages":[{"role":"user","content":"go"}]}`);
  const read = wire.read(body, NO_MEMO);
  if (!read.ok) throw new Error(read.words);
  const slices = wire.write(body, read.source, [{ kind: "drop-thinking" }]);
  const isWritten = Buffer.concat(slices).toString().includes("drop_block");
  expect(isWritten).toBe(read.source.takesDrop);
  return read.source.takesDrop;
}

describe("a request whose provider drops thinking that does not fit", () => {
  it.each([
    ['{"type":"adaptive"}', true],
    ['{"type":"enabled","budget_tokens":4000}', true],
    ['{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}}', true],
    ['{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"error"}}', false],
    ['{"type":"adaptive","block_binding":null}', false],
    ['{"type":"adaptive","type":"adaptive"}', false],
    ['{"type":"disabled"}', false],
    ['"adaptive"', false],
    ["", false],
  ])("has thinking on, and its client asks for nothing else: %s", (thinking, takes) => {
    expect(takesDrop(thinking)).toBe(takes);
  });
});

describe("a refusal for signed thinking", () => {
  it.each([
    ["messages.1.content.0: Invalid `signature` in `thinking` block", true],
    [
      "messages.1.content.0: Invalid signature in thinking block. The block is bound to a different conversation.",
      true,
    ],
    ["messages.3: `thinking` blocks in the latest assistant message cannot be modified", true],
    ["messages: at least one message is required", false],
    ["thinking.adaptive.block_binding: Extra inputs are not permitted", false],
  ])("is told by its words: %s", (message, isRefusal) => {
    const facts = factsOfRefusal(message);
    expect(facts.errorType).toBe("invalid_request_error");
    expect(facts.refusesThinking ?? false).toBe(isRefusal);
  });

  it("is none where the provider is overloaded", () => {
    const watcher = wire.watch(false);
    watcher.push(
      Buffer.from(
        '{"type":"error","error":{"type":"overloaded_error","message":"Invalid signature in thinking block"}}',
      ),
    );
    expect(watcher.finish().refusesThinking).toBeUndefined();
  });
});
