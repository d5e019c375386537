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

const result = (id: number | string, text: string) =>
  `{"type":"tool_result","tool_use_id":"${id}","content":${JSON.stringify(text)}}`;

describe("bodies that are large or strange", () => {
  it("of ten thousand messages are read, and every text replaced", () => {
    const messages = Array.from(
      { length: 10_000 },
      (_, index) => `{"role":"user","content":[${result(index, "same text")}]}`,
    );
    const { body, source, items } = open(`{"messages":[${messages.join(",")}]}`);
    expect(items).toHaveLength(10_000);
    const script = items.map((item) => ({ kind: "replace", itemKey: item.key, text: "m" }) as const);
    const written = Buffer.concat(writeBody(body, source, script)).toString();
    expect(written).toBe(body.toString().replaceAll('"same text"', '"m"'));
  });

  it("of 32 MB in one result are read exactly", () => {
    const line = 'a line of a very long log, "quoted" and with é\n';
    const text = line.repeat(Math.ceil((32 * 1024 * 1024) / (line.length + 4)));
    const { source, items } = open(`{"messages":[{"role":"user","content":[${result("t", text)}]}]}`);
    const [item] = items;
    if (item === undefined) throw new Error("the item is missing");
    expect(item.bytes).toBe(Buffer.byteLength(text));
    expect(source.textOf(item) === text).toBe(true);
  });

  it("of a hundred thousand blocks, in a message and in one result, are read", () => {
    const blocks = Array.from({ length: 100_000 }, () => '{"type":"text","text":"a"}').join(",");
    const images = Array.from({ length: 150_000 }, () => '{"type":"image","source":{"type":"url","url":"u"}}').join(
      ",",
    );
    const inResult = `{"type":"tool_result","tool_use_id":"t","content":[${blocks},${images}]}`;
    const { body, source, items } = open(`{"messages":[{"role":"user","content":[${blocks},${inResult}]}]}`);
    expect(items).toHaveLength(100_000 + 1 + 150_000);
    const key = items[100_000]?.key ?? "";
    const written = Buffer.concat(writeBody(body, source, [{ kind: "replace", itemKey: key, text: "m" }]));
    expect(open(written).items[100_000]).toMatchObject({
      kind: "result",
      bytes: 1,
      mediaCount: 150_000,
      isReplaceable: true,
    });
  });

  it("nested a hundred thousand levels deep are read wherever the depth stands", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const call = `{"type":"tool_use","id":"c","name":"n","input":${deep}}`;
    const inner = `{"type":"tool_result","tool_use_id":"t","content":[{"type":"x","y":${deep}}]}`;
    const { items } = open(
      `{"tools":${deep},"thinking":${deep},"zzz":${deep},"messages":[{"role":"user","content":[${call},${inner},{"type":"odd","z":${deep}},${deep}]}]}`,
    );
    expect(items.map((item) => item.kind)).toEqual(["call", "result", "opaque", "opaque"]);
  });
});

describe("what is remembered", () => {
  const message = (text: string) => `{"role":"user","content":[${result("t", text)}]}`;

  it("serves a message at another place of the same conversation, and nothing of it is read again", () => {
    const memo = new Map<string, unknown>();
    const before = open(`{"messages":[${message("one")},${message("two")},${message("three")}]}`, memo);
    const { source, items } = open(
      `{"x":"shifted","messages":[${message("one")} , ${message("two")},${message("new")}]}`,
      memo,
    );
    expect(items.map((item) => source.textOf(item))).toEqual(["one", "two", "new"]);
    expect(items.map((item, index) => item === before.items[index])).toEqual([true, true, false]);
    expect(before.items.map((item) => before.source.textOf(item))).toEqual(["one", "two", "three"]);
  });

  it("gives every item the key it would have alone, whatever the conversation drops and repeats", () => {
    const memo = new Map<string, unknown>();
    const words = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(words, (texts) => {
        const json = `{"messages":[${message("first")},${texts.map((text) => `{"role":"user","content":"${text}"}`)}]}`;
        expect(open(json, memo).items).toEqual(open(json).items);
      }),
      { numRuns: 300 },
    );
  });

  it("never decides where a message ends unless the bytes prove it", () => {
    const memo = new Map<string, unknown>();
    const first = message("first");
    open(`{"messages":[${first},${message("aaaa}")}]}`, memo);
    const { source, items } = open(`{"messages":[${first},${message("bbbb}")},${message("cc")}]}`, memo);
    expect(items.map((item) => source.textOf(item))).toEqual(["first", "bbbb}", "cc"]);
    expect(readBody(Buffer.from(`{"messages":[${first},${message("aaaa}")}`), memo).ok).toBe(false);
    expect(readBody(Buffer.from(`{"messages":[${first},${message("aaaa}").replace("{", "[")}]}`), memo).ok).toBe(false);
  });

  it("of invalid bodies is nothing", () => {
    const memo = new Map<string, unknown>();
    expect(readBody(Buffer.from(`{"messages":[${message("one")}],}`), memo).ok).toBe(false);
    expect(memo.size).toBe(0);
  });
});
