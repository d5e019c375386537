import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ReadMemo } from "../../model/ports.ts";
import { readBody } from "./read.ts";
import { writeBody } from "./write.ts";

function open(json: string | Buffer, memo: ReadMemo = new Map<string, unknown>()) {
  const body = Buffer.from(json);
  const outcome = readBody(body, memo);
  if (!outcome.ok) throw new Error(outcome.words);
  return { body, source: outcome.source, items: outcome.source.transcript.items };
}

const tool = (id: number | string, text: string) =>
  `{"role":"tool","tool_call_id":"${id}","content":${JSON.stringify(text)}}`;

describe("bodies that are large or strange", () => {
  it("of ten thousand messages are read, and every text replaced", () => {
    const messages = Array.from({ length: 10_000 }, (_, index) => tool(index, "same text"));
    const { body, source, items } = open(`{"messages":[${messages.join(",")}]}`);
    const script = items.map((item) => ({ kind: "replace", itemKey: item.key, text: "m" }) as const);
    const written = Buffer.concat(writeBody(body, source, script)).toString();
    expect(written).toBe(body.toString().replaceAll('"same text"', '"m"'));
  });

  it("of ten thousand calls and results without ids are read, in parallel and one by one", () => {
    const call = '{"type":"function","function":{"name":"f","arguments":"{}"}}';
    const result = '{"role":"tool","content":"x"}';
    const many = (one: string) => Array.from({ length: 10_000 }, () => one).join(",");
    const parallel = open(`{"messages":[{"role":"assistant","tool_calls":[${many(call)}]},${many(result)}]}`);
    expect(parallel.items).toHaveLength(20_000);
    const round = `{"role":"assistant","tool_calls":[${call}]},${result}`;
    const single = open(`{"messages":[${many(round)}]}`).items;
    const ids = single.map((item) => ("callId" in item ? item.callId : null));
    expect(new Set(ids).size).toBe(10_000);
    expect(ids.every((id, index) => index % 2 === 0 || id === ids[index - 1])).toBe(true);
  });

  it("of 32 MB in one result are read exactly", () => {
    const line = 'a line of a very long log, "quoted" and with é\n';
    const text = line.repeat(Math.ceil((32 * 1024 * 1024) / (line.length + 4)));
    const { source, items } = open(`{"messages":[${tool("t", text)}]}`);
    const [item] = items;
    if (item === undefined) throw new Error("the item is missing");
    expect(item.bytes).toBe(Buffer.byteLength(text));
    expect(source.textOf(item) === text).toBe(true);
  });

  it("of a hundred thousand parts, in a message and in one result, are read", () => {
    const parts = Array.from({ length: 100_000 }, () => '{"type":"text","text":"a"}').join(",");
    const message = `{"role":"user","content":[${parts}]}`;
    const result = `{"role":"tool","tool_call_id":"t","content":[${parts}]}`;
    const { body, source, items } = open(`{"messages":[${message},${result}]}`);
    expect(items).toHaveLength(100_001);
    const key = items[100_000]?.key ?? "";
    const written = Buffer.concat(writeBody(body, source, [{ kind: "replace", itemKey: key, text: "m" }]));
    expect(open(written).items[100_000]).toMatchObject({ kind: "result", bytes: 1, isReplaceable: true });
  });

  it("nested a hundred thousand levels deep are read wherever the depth stands", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const call = `{"id":"c","function":{"name":"n","arguments":${deep}}}`;
    const nameless = `{"function":{"name":"n","arguments":${JSON.stringify(deep)}}}`;
    const messages = [
      `{"role":"system","content":${deep}}`,
      `{"role":"assistant","content":null,"reasoning_details":${deep},"tool_calls":[${call},${nameless},{"odd":${deep}},${deep}]}`,
      `{"role":"tool","tool_call_id":"c","content":[{"type":"x","y":${deep}},${deep}]}`,
      `{"role":"user","content":[{"type":"odd","z":${deep}},${deep}]}`,
      deep,
    ];
    const { items } = open(
      `{"tools":${deep},"response_format":${deep},"prompt_cache_options":${deep},"zzz":${deep},"messages":[${messages}]}`,
    );
    expect(items.map((item) => item.kind)).toEqual([
      "thinking",
      "call",
      "call",
      "opaque",
      "opaque",
      "result",
      "opaque",
      "opaque",
      "opaque",
    ]);
  });
});

describe("what is remembered", () => {
  const conversation = (...rest: readonly string[]) =>
    `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"first"},${rest.join(",")}]}`;

  it("serves the messages a body repeats, and nothing of them is read again", () => {
    const memo = new Map<string, unknown>();
    const before = open(conversation(tool("a", "one"), tool("b", "two")), memo);
    const { source, items } = open(`{"x":"shifted",${conversation(tool("a", "one"), tool("c", "new")).slice(1)}`, memo);
    expect(items.map((item) => source.textOf(item))).toEqual(["first", "one", "new"]);
    expect(items.map((item, index) => item === before.items[index])).toEqual([true, true, false]);
    expect(before.items.map((item) => before.source.textOf(item))).toEqual(["first", "one", "two"]);
  });

  it("of one instruction in front is no item where another stands in front of it", () => {
    const memo = new Map<string, unknown>();
    const late = '{"role":"system","content":"late"}';
    const [one, other] = [conversation(late), conversation(late).replace('{"role":"user","content":"first"}', late)];
    for (const json of [one, other, one]) expect(open(json, memo).items).toEqual(open(json).items);
  });

  it("gives every item the key it would have alone, whatever the conversation drops and repeats", () => {
    const memo = new Map<string, unknown>();
    const message = fc.constantFrom(
      '{"role":"user","content":"a"}',
      '{"role":"developer","content":"a"}',
      '{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}',
      '{"role":"assistant","function_call":{"name":"f","arguments":"{}"}}',
      '{"role":"tool","content":"a"}',
      '{"role":"function","name":"f","content":"a"}',
      '{"role":"odd"}',
    );
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 8 }), (messages) => {
        const json = conversation(...messages);
        expect(open(json, memo).items).toEqual(open(json).items);
      }),
      { numRuns: 300 },
    );
  });

  it("of invalid bodies is nothing", () => {
    const memo = new Map<string, unknown>();
    expect(readBody(Buffer.from(`{"messages":[${tool("a", "one")}],}`), memo).ok).toBe(false);
    expect(memo.size).toBe(0);
  });
});
