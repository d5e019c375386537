import { describe, expect, it } from "vitest";
import { createAnthropicMessages } from "./index.ts";
import { INLINE } from "./inline.ts";
import { markOfJson } from "./marks.ts";

const wire = createAnthropicMessages();

function marksOf(message: object | string, messageIndex = 0) {
  const json = typeof message === "string" ? message : JSON.stringify(message);
  const outcome = wire.read(Buffer.from(`{"messages":[${json}]}`), new Map());
  if (!outcome.ok) throw new Error(outcome.words);
  return INLINE.marksOf(outcome.source, messageIndex);
}
const mark = (block: object) => markOfJson(JSON.stringify(block));

describe("marks of a message that a client sends back", () => {
  it("tell each block by its index, and skip texts that show nothing", () => {
    const blocks = [
      { type: "text", text: " \n" },
      { type: "text", text: "a" },
      { type: "text", text: "" },
      { type: "tool_use", id: "t", name: "n", input: {} },
    ];
    const found = marksOf({ role: "assistant", content: blocks });
    expect(found).toEqual([
      { mark: mark({ type: "text", text: "a" }), blockIndex: 1 },
      { mark: "tool_use:t", blockIndex: 3 },
    ]);
    expect(marksOf({ role: "assistant", content: "a" })).toEqual([{ mark: found[0]?.mark, blockIndex: 0 }]);
    expect(marksOf({ role: "assistant", content: "" })).toEqual([]);
  });

  it("are none of a message that is not the model's, of unknown shape, or not there", () => {
    expect(marksOf({ role: "user", content: "a" })).toEqual([]);
    expect(marksOf('{"role":"assistant","content":"a","content":"b"}')).toEqual([]);
    expect(marksOf({ role: "assistant", content: "a" }, 1)).toEqual([]);
    expect(marksOf({ role: "assistant", content: 7 })).toEqual([]);
  });
});

describe("the mark of a block", () => {
  const text = (words: string) => ({ type: "text", text: words });

  it.each<readonly [string, object, object]>([
    ["trimmed", text("\n a é "), text("a é")],
    [
      "with its escapes written otherwise, and a breakpoint",
      text("é/"),
      JSON.parse('{"cache_control":{"type":"ephemeral"},"text":"\\u00e9\\/","type":"text"}'),
    ],
    ["with its citations", text("a"), { ...text("a"), citations: null }],
    ["without halves of characters", text("a\ud83db"), text("ab")],
    [
      "with arguments in another order",
      { type: "tool_use", id: "t", name: "n", input: { a: 1, b: 2 } },
      { type: "tool_use", id: "t", name: "n", input: { b: 2, a: 1 }, caller: { type: "direct" } },
    ],
    [
      "with its thinking left empty",
      { type: "thinking", thinking: "long", signature: "s" },
      { type: "thinking", thinking: "", signature: "s" },
    ],
    ["as a text, where thinking has no signature", { type: "thinking", thinking: " a", signature: "" }, text("a")],
    [
      "with a result written otherwise",
      { type: "web_search_tool_result", tool_use_id: "s", content: [] },
      { type: "web_search_tool_result", tool_use_id: "s", content: [{ a: 1 }] },
    ],
  ])("is the same %s", (_, one, other) => {
    expect(mark(one)).toBe(mark(other));
    expect(mark(one)).not.toBeNull();
  });

  it("is another for every other block", () => {
    const blocks = [
      text("a"),
      text("A"),
      { type: "thinking", thinking: "a", signature: "s" },
      { type: "thinking", thinking: "a", signature: "t" },
      { type: "redacted_thinking", data: "s" },
      { type: "redacted_thinking", data: "t" },
      { type: "tool_use", id: "s" },
      { type: "server_tool_use", id: "s" },
      { type: "web_search_tool_result", tool_use_id: "s" },
      { type: "web_search_tool_result", tool_use_id: "t" },
      { type: "compaction" },
      {},
    ];
    const marks = [...blocks.map(mark), ...["7", "null", '"a"', "[]"].map(markOfJson)];
    expect(new Set(marks).size).toBe(marks.length);
    expect(marks).not.toContain(null);
  });
});
