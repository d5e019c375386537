import { describe, expect, it } from "vitest";
import { readBody } from "./read.ts";

const FIVE = 300_000;
const HOUR = 3_600_000;
const mark = (ttl?: string) => ({ cache_control: { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) } });
const text = (words: string, more: object = {}) => ({ type: "text", text: words, ...more });
const user = (...content: readonly object[]) => ({ role: "user", content });
const assistant = (...content: readonly object[]) => ({ role: "assistant", content });
const result = (content: unknown, more: object = {}) => ({ type: "tool_result", tool_use_id: "t", content, ...more });
const thinking = { type: "thinking", thinking: "hm", signature: "s" };

function placesIn(messages: readonly unknown[], more: object = {}, memo = new Map<string, unknown>()) {
  const outcome = readBody(Buffer.from(JSON.stringify({ ...more, messages })), memo);
  if (!outcome.ok) throw new Error(outcome.words);
  return outcome.source.transcript.breakpoints.map(({ itemCount, ttlMs }) => [itemCount, ttlMs]);
}

describe("breakpoints in the messages", () => {
  it("stand behind the items of their block, in order", () => {
    const called = assistant(text("a"), { type: "tool_use", id: "t", name: "n", input: {}, ...mark("1h") });
    expect(placesIn([user(text("q")), called, user(text("b"), text("c", mark("5m")), text("d"))])).toEqual([
      [3, HOUR],
      [5, FIVE],
    ]);
  });

  it("of a result's blocks count where the result does, behind its media", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } };
    expect(placesIn([user(result([text("a", mark()), image], mark("1h")), text("b"))])).toEqual([
      [2, FIVE],
      [2, HOUR],
    ]);
    expect(placesIn([user(result([{ ...image, ...mark("1h") }, text("a")]))])).toEqual([[2, HOUR]]);
  });

  it("of the blocks that a document is made of count at the document", () => {
    const document = { type: "document", source: { type: "content", content: [text("a", mark()), text("b")] } };
    expect(placesIn([user(text("q"), document)])).toEqual([[2, FIVE]]);
    expect(placesIn([user(text("q"), result([document]))])).toEqual([[3, FIVE]]);
  });

  it("on what is no item count at the items before it", () => {
    expect(placesIn([user(text("a"), text("", mark())), user(text("b"))])).toEqual([[1, FIVE]]);
    expect(placesIn([user(text("", mark("1h")))])).toEqual([[0, HOUR]]);
  });

  it("on blocks of unknown kinds count as any other, and those in arguments do not", () => {
    expect(placesIn([user(text("a"), { type: "zzz", ...mark() })])).toEqual([[2, FIVE]]);
    expect(placesIn([assistant({ type: "tool_use", id: "t", name: "n", input: mark() })])).toEqual([]);
  });

  it("in a message of no known shape count as one, the longest, at its end", () => {
    expect(
      placesIn([user(text("a")), { role: "tool", content: [text("b", mark("5m")), text("c", mark("5m"))] }]),
    ).toEqual([[2, HOUR]]);
    expect(placesIn([user(text("a")), { role: "tool", content: [text("b")] }])).toEqual([]);
  });

  it("that the provider places by itself stand at the last block that can carry one, behind the others", () => {
    const talk = [user(text("a", mark("1h"))), assistant(text("b"), thinking), user(text(""))];
    expect(placesIn(talk, mark())).toEqual([
      [1, HOUR],
      [2, FIVE],
    ]);
    expect(placesIn([{ role: "user", content: "a" }], mark("1h"))).toEqual([[1, HOUR]]);
    expect(placesIn([assistant(thinking, { ...thinking, type: "redacted_thinking", data: "x" })], mark())).toEqual([
      [0, FIVE],
    ]);
  });

  it("are found where they stand now, whatever is remembered of the conversation", () => {
    const memo = new Map<string, unknown>();
    const first = user(text("a"));
    expect(placesIn([first, user(text("b", mark()))], {}, memo)).toEqual([[2, FIVE]]);
    expect(placesIn([first, user(text("b")), user(text("c", mark()))], {}, memo)).toEqual([[3, FIVE]]);
    expect(placesIn([first, user(text("b")), user(text("c", mark())), user(text("d", mark()))], {}, memo)).toEqual([
      [3, FIVE],
      [4, FIVE],
    ]);
  });
});
