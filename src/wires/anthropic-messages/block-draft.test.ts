import { describe, expect, it } from "vitest";
import { toJsonBytes } from "../../lib/json-scan.ts";
import { addDelta, type BlockDraft, blockJson, openBlock } from "./block-draft.ts";

function value(json: string) {
  const text = toJsonBytes(Buffer.from(json));
  return { text, span: { start: 0, end: json.length } };
}

function built(opened: string, ...deltas: readonly object[]): string {
  const draft = deltas.reduce<BlockDraft>(
    (before, delta) => addDelta(before, value(JSON.stringify(delta))),
    openBlock(0, value(opened)),
  );
  return blockJson(draft);
}

describe("a block put together from a stream", () => {
  it("is what it began with where nothing was added", () => {
    const result = '{"type":"web_search_tool_result","tool_use_id":"s","content":[{"n":1.0, "encrypted_content":"x"}]}';
    expect(built(result)).toBe(result);
    expect(built('{"type":"redacted_thinking","data":"d"}')).toBe('{"type":"redacted_thinking","data":"d"}');
  });

  it("keeps its other members as they came", () => {
    const opened = '{"type":"tool_use","id":"t","name":"n","input":{ },"caller":{"type":"direct","n":1.0}}';
    const pieces = ["", '{"a', '": 1.50 }'].map((json) => ({ type: "input_json_delta", partial_json: json }));
    expect(built(opened, ...pieces)).toBe(
      '{"type":"tool_use","id":"t","name":"n","input":{"a": 1.50 },"caller":{"type":"direct","n":1.0}}',
    );
    expect(built(opened, ...pieces.slice(0, 1))).toBe(opened.replace(", ", ","));
  });

  it("has its thinking and the signature", () => {
    const deltas = [
      { type: "thinking_delta", thinking: "é\ud83d" },
      { type: "thinking_delta", thinking: "\ude00\n" },
      { type: "signature_delta", signature: "EqQ=" },
    ];
    expect(built('{"type":"thinking","thinking":"","signature":""}', ...deltas)).toBe(
      '{"type":"thinking","thinking":"é😀\\n","signature":"EqQ="}',
    );
  });

  it("has its citations, behind those it began with", () => {
    const deltas = [
      { type: "citations_delta", citation: { n: 1 } },
      { type: "text_delta", text: "b" },
      { type: "citations_delta", citation: { n: 2 } },
    ];
    expect(built('{"type":"text","text":"a","citations":[ ]}', ...deltas)).toBe(
      '{"type":"text","text":"ab","citations":[{"n":1},{"n":2}]}',
    );
    expect(built('{"type":"text","text":"","citations":[{"n":0}]}', ...deltas)).toBe(
      '{"type":"text","text":"b","citations":[{"n":0},{"n":1},{"n":2}]}',
    );
    expect(built('{"type":"text","text":"","citations":null}', ...deltas)).toContain('"citations":[{"n":1},{"n":2}]');
  });

  it("grows by deltas of unknown kinds: strings and lists go on, anything else takes the place of what was there", () => {
    const deltas = [
      { type: "new_delta", content: "a", list: [1], other: { a: 1 }, nothing: null },
      { type: "new_delta", content: "b", list: [], other: 2 },
      { type: "new_delta", list: [2, 3], __proto__: { a: 1 } },
    ];
    expect(built('{"type":"compaction","content":null}', ...deltas)).toBe(
      '{"type":"compaction","content":"ab","list":[1,2,3],"other":2}',
    );
  });
});
