import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../lib/hash.ts";
import { encodeWtf8 } from "../../lib/wtf8.ts";
import type { Item } from "../../model/item.ts";
import type { WireSource } from "../../model/ports.ts";
import { readBody } from "./read.ts";

function read(body: unknown): WireSource {
  const json = typeof body === "string" ? body : JSON.stringify(body);
  const outcome = readBody(Buffer.from(json), new Map());
  if (!outcome.ok) throw new Error(outcome.words);
  return outcome.source;
}

function itemsOf(...content: unknown[]): readonly Item[] {
  return read({ messages: [{ role: "user", content }] }).transcript.items;
}

function wordsFor(json: string): string {
  const outcome = readBody(Buffer.from(json), new Map());
  return outcome.ok ? "accepted" : outcome.words;
}

function sha(text: string): string {
  return sha256Hex(encodeWtf8(text));
}

const result = (content: unknown, more: object = {}) => ({ type: "tool_result", tool_use_id: "t1", content, ...more });
const text = (words: string, more: object = {}) => ({ type: "text", text: words, ...more });
const image = (bytes: string) => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data: Buffer.from(bytes).toString("base64") },
});

describe("keys", () => {
  it("are one for a text as string and as a block, with its occurrence", () => {
    const items = read({
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: [text("hi", { cache_control: { type: "ephemeral" } })] },
      ],
    }).transcript.items;
    expect(items.map((item) => item.key)).toEqual([`text:${sha("hi")}:1`, `text:${sha("hi")}:2`]);
  });

  it("join call id and original for results, whatever shape the content has", () => {
    const key = `result:t1:${sha("ab\ud83d\ude00")}`;
    expect(itemsOf(result("ab😀"))[0]?.key).toBe(key);
    expect(itemsOf(result([text("a"), text("b"), text("\ud83d"), text("\ude00")]))[0]?.key).toBe(key);
  });

  it("number equal results from the second on, past numbers a call id imitates", () => {
    const call = (id: string, name: string) => ({ type: "tool_use", id, name, input: {} });
    const keys = itemsOf(call("a", "b"), call("a", "b:2"), call("a", "b"), call("a", "b")).map((item) => item.key);
    expect(keys).toEqual(["call:a:b", "call:a:b:2", "call:a:b:3", "call:a:b:4"]);
    expect(itemsOf(result("x"), result("x")).map((item) => item.key.slice(-2))).toEqual([sha("x").slice(-2), ":2"]);
  });

  it("count media inside a result from 1, after the result, and by digest of the decoded bytes", () => {
    const [first, ...media] = itemsOf(result([image("one"), text("t"), image("two")]), text("after"));
    expect(first).toMatchObject({ kind: "result", mediaCount: 2, isReplaceable: true, digest: sha("t") });
    expect(media.map((item) => item.key)).toEqual([
      `media:t1#1:${sha("one")}`,
      `media:t1#2:${sha("two")}`,
      `text:${sha("after")}:1`,
    ]);
    expect(media[0]).toMatchObject({ callId: "t1", mediaType: "image/png", bytes: 3, lines: 0, blockIndex: 0 });
  });

  it("of media in a message carry no call, and of linked media cover the source as it stands", () => {
    const source = { type: "url", url: "https://example.org/a.png" };
    const items = itemsOf(image("one"), { type: "image", source });
    expect(items.map((item) => item.key)).toEqual([`media:${sha("one")}:1`, `media:${sha(JSON.stringify(source))}:1`]);
    expect(items[1]).toMatchObject({ kind: "media", callId: null, mediaType: "image/*" });
  });

  it("of thinking and unknown blocks ignore breakpoints, key order and white space but not content", () => {
    const one = '{"type":"thinking","thinking":"t","signature":"s"}';
    const other = '{ "signature":"s", "cache_control":{"type":"ephemeral"},"thinking":"\\u0074","type":"thinking"}';
    const unsigned = '{"type":"thinking","thinking":"t","signature":"S"}';
    const keyOf = (block: string) =>
      read(`{"messages":[{"role":"assistant","content":[${block}]}]}`).transcript.items[0]?.key;
    expect(keyOf(other)).toBe(keyOf(one));
    expect(keyOf(unsigned)).not.toBe(keyOf(one));
    expect(keyOf('{"type":"server_tool_use","n":1.0,"id":"s"}')).toBe(
      keyOf('{"id":"s","n":1.0,"type":"server_tool_use"}'),
    );
    expect(keyOf('{"type":"server_tool_use","n":12345678901234567890}')).not.toBe(
      keyOf('{"type":"server_tool_use","n":12345678901234567891}'),
    );
  });
});

describe("blocks", () => {
  it("become items of their kind, and what has no known shape stays opaque", () => {
    const items = itemsOf(
      text(""),
      { type: "tool_use", id: "c", name: "Read", input: { file_path: "/a", n: [1, null] } },
      { type: "redacted_thinking", data: "xyz" },
      { type: "tool_result", content: "no call" },
      { type: "web_search_tool_result", tool_use_id: "s", content: [] },
      { type: "text", text: 5 },
      { type: "image" },
      "loose",
    );
    expect(items.map((item) => (item.kind === "opaque" ? `opaque ${item.type}` : item.kind))).toEqual([
      "call",
      "thinking",
      "opaque tool_result",
      "opaque web_search_tool_result",
      "opaque text",
      "opaque image",
      "opaque string",
    ]);
    expect(items[0]).toMatchObject({
      callId: "c",
      name: "Read",
      input: { file_path: "/a", n: [1, null] },
      blockIndex: 1,
    });
  });

  it("give texts and originals back on demand", () => {
    const source = read({
      messages: [
        { role: "system", content: "" },
        { role: "system", content: "note" },
        {
          role: "user",
          content: [result([text("a\n"), text("b")], { is_error: true }), result(undefined), image("png")],
        },
      ],
    });
    const [note, first, empty, media] = source.transcript.items;
    expect(source.transcript.messages.map(({ role, itemStart, itemEnd }) => [role, itemStart, itemEnd])).toEqual([
      ["system", 0, 0],
      ["system", 0, 1],
      ["user", 1, 4],
    ]);
    if (!note || !first || !empty || !media) throw new Error("items are missing");
    expect([note, first, empty, media].map((item) => source.textOf(item))).toEqual(["note", "a\nb", "", ""]);
    expect(Buffer.from(source.originalOf(media)).toString()).toBe("png");
    expect(first).toMatchObject({ isError: true, bytes: 3, lines: 2 });
    expect(empty).toMatchObject({ isError: false, bytes: 0, lines: 0, isReplaceable: false });
  });

  it("keep lone surrogates in originals", () => {
    const source = read(`{"messages":[{"role":"user","content":"\\ud83dx"}]}`);
    const [item] = source.transcript.items;
    if (item === undefined) throw new Error("the item is missing");
    expect([...source.originalOf(item)]).toEqual([0xed, 0xa0, 0xbd, 0x78]);
    expect(source.textOf(item)).toBe("\ud83dx");
  });
});

describe("a message that is not understood", () => {
  const known = (content: string) => `{"role":"user","content":[${content}]}`;
  const block = (id: string) => JSON.stringify({ type: "tool_result", tool_use_id: id, content: `text of ${id}` });
  const around = (odd: string) => read(`{"messages":[${known(block("a"))}, ${odd} ,${known(block("b"))}]}`).transcript;

  it.each([
    ["no known role", '{"role":"developer","content":[{"type":"thinking"}]}', "system"],
    ["no role", '{"content":"a"}', "system"],
    ["a role that is no text", '{"role":1,"content":"a"}', "system"],
    ["no object", "1", "system"],
    ["no value", "null", "system"],
    ["a list", '[{"role":"user","content":"a"}]', "system"],
    ["no content", '{"role":"user"}', "user"],
    ["null content", '{"role":"assistant","content":null}', "assistant"],
    ["object content", '{"role":"user","content":{"type":"text","text":"a"}}', "user"],
  ])("for %s is one opaque item, and the items around it are read", (_, odd, role) => {
    const { items, messages } = around(odd);
    expect(items.map((item) => (item.kind === "result" ? item.callId : item))).toEqual([
      "a",
      expect.objectContaining({ kind: "opaque", type: "message", role, messageIndex: 1, blockIndex: 0 }),
      "b",
    ]);
    expect(messages.map((message) => message.itemEnd)).toEqual([1, 2, 3]);
  });

  it("is told apart by all of its members but breakpoints", () => {
    const keyOf = (odd: string) => around(odd).items[1]?.key;
    const one = keyOf('{"role":"tool","content":"a","more":{"n":1}}');
    expect(keyOf('{ "more":{"n":1}, "cache_control":{"type":"ephemeral"},"content":"a","role":"tool"}')).toBe(one);
    expect(keyOf('{"role":"tool","content":"a","more":{"n":2}}')).not.toBe(one);
  });

  it("keeps what stands before it from being replaced anew where its role is unknown", () => {
    const replaceable = (odd: string) =>
      around(odd).items.flatMap((item) => (item.kind === "result" ? [item.isReplaceable] : []));
    expect(replaceable('{"role":"model","content":"a"}')).toEqual([false, true]);
    expect(replaceable('{"role":"assistant","content":null}')).toEqual([true, true]);
  });

  it("counts any breakpoint in it as the longest", () => {
    const ttl = '{"type":"ephemeral","ttl":"5m"}';
    const withBreakpoint = `{"role":"tool","content":[{"type":"text","text":"a","cache_control":${ttl}}]}`;
    expect(around(withBreakpoint).header.cacheTtlMs).toBe(3_600_000);
    expect(around('{"role":"tool","content":"a"}').header.cacheTtlMs).toBeNull();
  });
});

describe("bodies that are none of ours to edit", () => {
  it("are refused with what was expected and what came", () => {
    expect(wordsFor('{"messages":[}')).toBe('invalid JSON: unexpected "}" at byte 13');
    expect(wordsFor('{"messages":[]} x')).toBe('invalid JSON: unexpected "x" at byte 16');
    expect(wordsFor('{"messages":[{"role":"user","content":"a\u0001"}]}')).toBe(
      "invalid JSON: unexpected byte 0x01 at byte 40",
    );
    expect(wordsFor("[]")).toBe("body: expected an object, got an array");
    expect(wordsFor("")).toBe("invalid JSON: it ends too soon, at byte 0");
    expect(wordsFor("{}")).toBe("messages: expected an array, got nothing");
    expect(wordsFor('{"messages":{}}')).toBe("messages: expected an array, got an object");
  });
});
