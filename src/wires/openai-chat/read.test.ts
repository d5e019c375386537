import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../lib/hash.ts";
import type { Item } from "../../model/item.ts";
import type { WireSource } from "../../model/ports.ts";
import { readBody } from "./read.ts";

function read(...messages: unknown[]): WireSource {
  const outcome = readBody(Buffer.from(JSON.stringify({ messages })), new Map());
  if (!outcome.ok) throw new Error(outcome.words);
  return outcome.source;
}

function itemsOf(...messages: unknown[]): readonly Item[] {
  return read(...messages).transcript.items;
}

function wordsFor(json: string): string {
  const outcome = readBody(Buffer.from(json), new Map());
  return outcome.ok ? "accepted" : outcome.words;
}

const sha = (text: string) => sha256Hex(text);
const kindsOf = (items: readonly Item[]) =>
  items.map((item) => (item.kind === "opaque" ? `opaque ${item.type}` : item.kind));
const text = (words: string) => ({ type: "text", text: words });
const url = (bytes: string) => `data:image/png;base64,${Buffer.from(bytes).toString("base64")}`;
const image = (bytes: string) => ({ type: "image_url", image_url: { url: url(bytes) } });
const call = (id: string | undefined, name: string, args = "{}") => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const assistant = (...calls: unknown[]) => ({ role: "assistant", content: null, tool_calls: calls });
const tool = (id: string | undefined, content: unknown, more: object = {}) => ({
  role: "tool",
  tool_call_id: id,
  content,
  ...more,
});
const user = (content: unknown) => ({ role: "user", content });

describe("messages", () => {
  it("are each a message, results of the user's side and instructions in front of all without items", () => {
    const source = read(
      { role: "system", content: "s" },
      { role: "developer", content: [text("d1"), text("d2")] },
      user("read"),
      assistant(call("a", "read"), call("b", "read")),
      tool("b", "of b"),
      tool("a", "of a"),
      { role: "system", content: "mind" },
    );
    const { messages, items, header } = source.transcript;
    expect(messages.map(({ role, itemStart, itemEnd }) => [role, itemStart, itemEnd])).toEqual([
      ["system", 0, 0],
      ["system", 0, 0],
      ["user", 0, 1],
      ["assistant", 1, 3],
      ["user", 3, 4],
      ["user", 4, 5],
      ["system", 5, 6],
    ]);
    expect(items.map((item) => item.key)).toEqual([
      `text:${sha("read")}:1`,
      "call:a:read",
      "call:b:read",
      `result:b:${sha("of b")}`,
      `result:a:${sha("of a")}`,
      `text:${sha("mind")}:1`,
    ]);
    expect(header.systemTexts).toEqual(["s", "d1", "d2"]);
  });

  it("of the model hold thinking, content, what it made beside text, and calls, whatever the order of the members", () => {
    const [thought, shown, ...rest] = itemsOf({
      tool_calls: [call("a", "read", '{"path":"x"}')],
      function_call: { name: "old", arguments: "{}" },
      audio: { id: "audio_1" },
      refusal: "no",
      content: [text("ok"), { type: "refusal", refusal: "never" }],
      reasoning_content: "hm",
      reasoning_details: [{ type: "reasoning.encrypted", data: "eHg=" }],
      role: "assistant",
    });
    expect(kindsOf([thought, shown, ...rest].filter((item) => item !== undefined))).toEqual([
      "thinking",
      "thinking",
      "text",
      "opaque refusal",
      "opaque refusal",
      "opaque audio",
      "call",
      "call",
    ]);
    expect(rest.map((item) => item.blockIndex)).toEqual([2, 3, 4, 5, 6, 7]);
    expect(rest.at(-1)).toMatchObject({ callId: "a", name: "read", input: { path: "x" } });
  });

  it("read arguments that are no JSON as their own text, and a custom tool's input as it is", () => {
    const inputs = itemsOf(
      assistant(
        call("a", "f", "{broken"),
        call("b", "f", ""),
        { id: "c", type: "custom", custom: { name: "patch", input: '{"not":"parsed"}' } },
        { id: "d", type: "function", function: { name: "f", arguments: { written: "as a value" } } },
        { id: "e", type: "function", function: { name: "f" } },
        { id: "g", type: "web", web: {} },
      ),
    ).map((item) => (item.kind === "call" ? item.input : item.kind));
    expect(inputs).toEqual(["{broken", "", '{"not":"parsed"}', { written: "as a value" }, "opaque", "opaque"]);
  });

  it.each([
    ["no known role", '{"role":"critic","content":"a"}', "system"],
    ["no role", '{"content":"a"}', "system"],
    ["no object", "1", "system"],
    ["object content", '{"role":"user","content":{"type":"text"}}', "user"],
    ["object content of the model", '{"role":"assistant","reasoning":"r","content":{}}', "assistant"],
  ])("of %s are one opaque item", (_, odd, role) => {
    const outcome = readBody(Buffer.from(`{"messages":[{"role":"user","content":"a"},${odd}]}`), new Map());
    if (!outcome.ok) throw new Error(outcome.words);
    expect(outcome.source.transcript.items.slice(1)).toEqual([
      expect.objectContaining({ kind: "opaque", type: "message", role, messageIndex: 1, blockIndex: 0 }),
    ]);
  });

  it("of unknown role keep what stands before them from being replaced anew", () => {
    const replaceable = (odd: unknown) =>
      itemsOf(tool("a", "x"), odd, tool("b", "y")).flatMap((item) =>
        item.kind === "result" ? [item.isReplaceable] : [],
      );
    expect(replaceable({ role: "model", content: "a" })).toEqual([false, true]);
    expect(replaceable({ role: "assistant", content: null })).toEqual([true, true]);
  });
});

describe("results", () => {
  it("join their texts, and hold their media behind them", () => {
    const source = read(tool("a", [text("a\n"), image("one"), text("b"), image("two")]));
    const [result, ...media] = source.transcript.items;
    if (result === undefined) throw new Error("the result is missing");
    expect(result).toMatchObject({ kind: "result", mediaCount: 2, isReplaceable: true, lines: 2, isError: false });
    expect(source.textOf(result)).toBe("a\nb");
    expect(media.map((item) => item.key)).toEqual([`media:a#1:${sha("one")}`, `media:a#2:${sha("two")}`]);
  });

  it.each([
    ["a part of unknown type", [text("a"), { type: "never" }]],
    ["no content", undefined],
    ["null", null],
    ["an object", { a: 1 }],
    ["no text", [image("one")]],
  ])("with %s are not replaceable", (_, content) => {
    expect(itemsOf(tool("a", content))[0]).toMatchObject({ kind: "result", isReplaceable: false });
  });

  it("of members that stand twice are not replaceable", () => {
    const twice = [
      '{"role":"tool","tool_call_id":"a","content":"x","content":"y"}',
      '{"type":"text","text":"a","text":"b"}',
    ];
    const bodies = [twice[0], `{"role":"tool","tool_call_id":"a","content":[${twice[1]}]}`];
    for (const message of bodies) {
      const outcome = readBody(Buffer.from(`{"messages":[${message}]}`), new Map());
      expect(outcome.ok && outcome.source.transcript.items[0]).toMatchObject({ kind: "result", isReplaceable: false });
    }
  });

  it("without an id belong to the first call without one that waits, by name where they state it", () => {
    const items = itemsOf(
      assistant(call(undefined, "read", '{"a":1}'), call("", "run"), call(undefined, "read", '{"a":1}')),
      tool(undefined, "ran", { name: "run" }),
      tool("", "first"),
      tool(undefined, "second"),
      tool(undefined, "nobody asked"),
    );
    const ids = items.map((item) => ("callId" in item ? item.callId : null));
    const [read, run, again, ran, first, second, none] = ids;
    expect([ran, first, second]).toEqual([run, read, again]);
    expect(new Set([read, run, again]).size).toBe(3);
    expect(none).toBe("unnamed:");
  });

  it("of legacy functions belong to the call of that name", () => {
    const legacy = { role: "assistant", content: null, function_call: { name: "run", arguments: '{ "a" : 1 }' } };
    const items = itemsOf(legacy, { role: "function", name: "run", content: "ran" }, legacy, {
      role: "function",
      name: "run",
      content: "ran",
    });
    const [one, result, two, other] = items.map((item) => ("callId" in item ? item.callId : null));
    expect([result, other]).toEqual([one, two]);
    expect(one).not.toBe(two);
    expect(items.map((item) => item.role)).toEqual(["assistant", "user", "assistant", "user"]);
  });

  it("get the same ids where a conversation goes on", () => {
    const memo = new Map<string, unknown>();
    const messages = [
      user("go"),
      assistant(call(undefined, "run"), call(undefined, "run")),
      tool(undefined, "one"),
      tool(undefined, "two"),
      assistant(call(undefined, "run")),
      tool(undefined, "three"),
    ];
    for (let count = 1; count <= messages.length; count++) {
      const body = Buffer.from(JSON.stringify({ messages: messages.slice(0, count) }));
      const [warm, cold] = [readBody(body, memo), readBody(body, new Map())];
      expect(warm.ok && warm.source.transcript.items).toEqual(cold.ok && cold.source.transcript.items);
    }
  });
});

describe("media", () => {
  it("are replaceable where the body carries them in the user's own messages", () => {
    const media = (part: unknown, role = "user") =>
      itemsOf({ role, content: [part] }).map((item) =>
        item.kind === "media" ? [item.mediaType, item.isReplaceable] : item.kind,
      )[0];
    expect(media(image("a"))).toEqual(["image/png", true]);
    expect(media({ type: "image_url", image_url: url("a") })).toEqual(["image/png", true]);
    expect(media(image("a"), "assistant")).toEqual(["image/png", false]);
    expect(media({ ...image("a"), cache_control: { type: "ephemeral" } })).toEqual(["image/png", false]);
    expect(media({ type: "image_url", image_url: { url: "https://x.y/z.png" } })).toEqual(["image/*", false]);
    expect(media({ type: "image_url", image_url: { url: "data:image/png,raw" } })).toEqual(["image/*", false]);
    expect(media({ type: "image_url", image_url: { url: "data:image/png;base64,aG k=" } })).toEqual([
      "image/png",
      false,
    ]);
    expect(media({ type: "file", file: { file_data: url("a") } })).toEqual(["image/png", false]);
    expect(media({ type: "file", file: { file_id: "f" } })).toEqual(["application/*", false]);
    expect(media({ type: "file", file: {} })).toBe("opaque");
    expect(media({ type: "input_audio", input_audio: { data: "aGk=" } })).toBe("opaque");
  });

  it("are told by their bytes, whatever else is said of them", () => {
    const keyOf = (part: string) => {
      const outcome = readBody(Buffer.from(`{"messages":[{"role":"user","content":[${part}]}]}`), new Map());
      return outcome.ok ? outcome.source.transcript.items[0]?.key : null;
    };
    const one = keyOf(`{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}`);
    expect(keyOf(`{"image_url":{"detail":"high","url":"data:image\\/png;base64,aGk="},"type":"image_url"}`)).toBe(one);
    expect(keyOf(`{"type":"image_url","image_url":{"url":"data:image/png;base64,aGl="}}`)).toBe(one);
    expect(keyOf(`{"type":"image_url","image_url":{"url":"data:image/png;base64,aGkh"}}`)).not.toBe(one);
  });
});

describe("a body that is refused", () => {
  it.each([
    ["[]", "body: expected an object, got an array"],
    ["{}", "messages: expected an array, got nothing"],
    ['{"messages":{}}', "messages: expected an array, got an object"],
    ['{"messages":[}', 'invalid JSON: unexpected "}" at byte 13'],
    ['{"messages":[]', "invalid JSON: it ends too soon, at byte 14"],
    ['{"messages":[]} x', 'invalid JSON: unexpected "x" at byte 16'],
  ])("%s: %s", (json, words) => expect(wordsFor(json)).toBe(words));

  it("is not one with two lists: the last counts, and nothing of it is replaced anew", () => {
    const [one, two] = [tool("a", "x"), tool("b", "y")].map((message) => JSON.stringify(message));
    const outcome = readBody(Buffer.from(`{"messages":[${one}],"messages":[${two}]}`), new Map());
    expect(outcome.ok && outcome.source.transcript.items).toEqual([
      expect.objectContaining({ callId: "b", isReplaceable: false }),
    ]);
  });
});
