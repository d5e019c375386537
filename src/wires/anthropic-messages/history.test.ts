import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ReadMemo, WireSource } from "../../model/ports.ts";
import { createAnthropicMessages } from "./index.ts";
import { INLINE } from "./inline.ts";

const wire = createAnthropicMessages();

function read(body: Uint8Array, memo: ReadMemo = new Map()): WireSource {
  const outcome = wire.read(body, memo);
  if (!outcome.ok) throw new Error(outcome.words);
  return outcome.source;
}

/** A conversation of so many exchanges, its breakpoint on the last message. */
function talk(exchanges: number, tag = ""): Buffer {
  const messages = Array.from({ length: exchanges }, (_, index) => [
    { role: "user", content: [{ type: "text", text: `${index === 0 ? "" : tag}please ${index}` }] },
    { role: "assistant", content: [{ type: "text", text: `word ${index}` }] },
  ]).flat();
  const last = { type: "text", text: "and?", cache_control: { type: "ephemeral" } };
  return Buffer.from(JSON.stringify({ messages: [...messages, { role: "user", content: [last] }] }));
}

/** The body with an aside in the first message of the model. */
function withAside(body: Buffer, source: WireSource): Uint8Array {
  const calls = [{ blockIndex: 0, json: '{"type":"tool_use","id":"c1","name":"ebb_recall","input":{}}' }];
  const results = ['{"type":"tool_result","tool_use_id":"c1","content":"r"}'];
  const put = INLINE.insert(body, source, {
    tools: null,
    asides: [{ messageIndex: 1, calls, partedAt: 0, results }],
  });
  if (put === null) throw new Error("the aside has no place");
  return put;
}

/** Items of the second body that were taken over from the first. */
function takenOver(before: WireSource, after: WireSource): number {
  const known = new Set(before.transcript.items);
  return after.transcript.items.filter((item) => known.has(item)).length;
}

function shownOf(source: WireSource): unknown {
  const { transcript } = source;
  return { transcript, texts: transcript.items.map((item) => [source.textOf(item), source.canMark(item)]) };
}

describe("a conversation whose bodies come in two forms", () => {
  it("is read from its tail on in each of them", () => {
    const memo: ReadMemo = new Map();
    let [plain, expanded] = [read(talk(9), memo), read(talk(9), memo)];
    for (let exchanges = 9; exchanges < 14; exchanges++) {
      const body = talk(exchanges);
      const [plainBefore, expandedBefore] = [plain, expanded];
      plain = read(body, memo);
      expanded = read(withAside(body, plain), memo);
      if (exchanges === 9) continue;
      expect(plain.transcript.items.length - takenOver(plainBefore, plain)).toBe(3);
      expect(expanded.transcript.items.length - takenOver(expandedBefore, expanded)).toBe(3);
    }
  });

  it("is read as it would be by itself, whatever came before", () => {
    const one = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.constantFrom("", "kindly "), fc.boolean());
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 12 }), (bodies) => {
        const memo: ReadMemo = new Map();
        for (const [exchanges, tag, isExpanded] of bodies) {
          const plain = talk(exchanges, tag);
          const body = isExpanded ? withAside(plain, read(plain)) : plain;
          expect(shownOf(read(body, memo))).toEqual(shownOf(read(body)));
        }
      }),
      { numRuns: 200, seed: 20_261_130 },
    );
  });
});
