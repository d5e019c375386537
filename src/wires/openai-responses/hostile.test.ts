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

const output = (id: number | string, text: string) =>
  `{"type":"function_call_output","call_id":"${id}","output":${JSON.stringify(text)}}`;

describe("bodies that are large or strange", () => {
  it("of twenty thousand entries of the model and its tools are read, and every text replaced", () => {
    const entries = Array.from({ length: 10_000 }, (_, index) => [
      `{"type":"function_call","call_id":"${index}","name":"read","arguments":"{}"}`,
      output(index, "same text"),
    ]).flat();
    const { body, source, items } = open(`{"input":[${entries.join(",")}]}`);
    expect(source.transcript.messages).toHaveLength(20_000);
    const script = items.map((item) => ({ kind: "replace", itemKey: item.key, text: "m" }) as const);
    const written = Buffer.concat(writeBody(body, source, script)).toString();
    expect(written).toBe(body.toString().replaceAll('"same text"', '"m"'));
  });

  it("of fifty thousand entries that the model said in a row are one message", () => {
    const calls = Array.from(
      { length: 50_000 },
      (_, index) => `{"type":"function_call","call_id":"${index}","name":"read","arguments":"{}"}`,
    );
    const { source, items } = open(`{"input":[${calls.join(",")}]}`);
    expect(source.transcript.messages).toHaveLength(1);
    expect(items.at(-1)).toMatchObject({ messageIndex: 0, blockIndex: 49_999, callId: "49999" });
  });

  it("of 32 MB in one output are read exactly", () => {
    const line = 'a line of a very long log, "quoted" and with é\n';
    const text = line.repeat(Math.ceil((32 * 1024 * 1024) / (line.length + 4)));
    const { source, items } = open(`{"input":[${output("t", text)}]}`);
    const [item] = items;
    if (item === undefined) throw new Error("the item is missing");
    expect(item.bytes).toBe(Buffer.byteLength(text));
    expect(source.textOf(item) === text).toBe(true);
  });

  it("of a hundred thousand parts in a message and in an output are read", () => {
    const texts = Array.from({ length: 100_000 }, () => '{"type":"input_text","text":"a"}').join(",");
    const images = Array.from({ length: 50_000 }, () => '{"type":"input_image","image_url":"u"}').join(",");
    const result = `{"type":"function_call_output","call_id":"t","output":[${texts},${images}]}`;
    const { items } = open(`{"input":[{"role":"user","content":[${texts}]},${result}]}`);
    expect(items).toHaveLength(100_000 + 1 + 50_000);
    expect(items[100_000]).toMatchObject({ kind: "result", bytes: 100_000, mediaCount: 50_000, isReplaceable: true });
  });

  it("nested a hundred thousand levels deep are read wherever the depth stands", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const text = JSON.stringify(deep);
    const { items } = open(
      `{"tools":[${deep}],"text":{"format":${deep}},"zzz":${deep},"input":[{"role":"user","content":[${deep}]},
        {"type":"function_call","call_id":"c","name":"n","arguments":${text}},{"type":"local_shell_call","call_id":"d","action":${deep}},
        {"type":"function_call_output","call_id":"c","output":[{"type":"x","y":${deep}}]},{"type":"odd","z":${deep}},${deep}]}`,
    );
    expect(items.map(({ kind }) => kind)).toEqual(["opaque", "call", "call", "result", "opaque", "opaque"]);
  });

  it.each([
    ["", "invalid JSON"],
    ["[]", "body: expected an object, got an array"],
    ["{}", "input: expected an array or a string, got nothing"],
    ['{"input":7}', "input: expected an array or a string, got a number"],
    ['{"input":[}', "invalid JSON"],
    ['{"input":"a"} x', "invalid JSON"],
    ['{"prompt":{"id":"p"},"input":null}', "input: expected an array or a string, got null"],
  ])("like %s are refused in words", (json, words) => {
    const outcome = readBody(Buffer.from(json), new Map());
    expect(outcome.ok ? "" : outcome.words).toContain(words);
  });
});

describe("members that come twice", () => {
  const replaceable = (json: string) => open(json).items.map((item) => "isReplaceable" in item && item.isReplaceable);

  it("of the body leave every output as it came", () => {
    expect(replaceable(`{"input":[${output("a", "x")}]}`)).toEqual([true]);
    expect(replaceable(`{"input":"a","input":[${output("a", "x")}]}`)).toEqual([false]);
    expect(open(`{"input":[${output("a", "x")}],"input":"a"}`).items).toMatchObject([{ kind: "text" }]);
  });

  it("of an entry leave it as it came, and of a part all of its output", () => {
    const twice = output("a", "x").replace("{", '{"output":"y",');
    const part = '{"type":"input_text","text":"a","text":"b"}';
    const picture =
      '{"type":"input_image","image_url":"data:image/png;base64,aGk=","image_url":"data:image/png;base64,aGk="}';
    expect(replaceable(`{"input":[${twice}]}`)).toEqual([false]);
    expect(replaceable(`{"input":[{"type":"function_call_output","call_id":"a","output":[${part}]}]}`)).toEqual([
      false,
    ]);
    expect(replaceable(`{"input":[{"role":"user","content":[${picture}]}]}`)).toEqual([false]);
  });
});

describe("text that is no UTF-8", () => {
  it("is read, and not replaced: it could not come back as it was", () => {
    const [before, after] = `{"input":[${output("a", "x?y")}]}`.split("?");
    const { items } = open(Buffer.concat([Buffer.from(before ?? ""), Buffer.from([0xff]), Buffer.from(after ?? "")]));
    expect(items).toMatchObject([{ kind: "result", isReplaceable: false }]);
  });
});

describe("what is remembered", () => {
  const opening = '{"role":"developer","content":"rules"},{"role":"user","content":"go"}';

  it("never decides where an entry ends unless the bytes prove it", () => {
    const memo = new Map<string, unknown>();
    open(`{"input":[${opening},${output("t", "aaaa}")}]}`, memo);
    const { source, items } = open(`{"input":[${opening},${output("t", "bbbb}")},${output("u", "cc")}]}`, memo);
    expect(items.map((item) => source.textOf(item))).toEqual(["go", "bbbb}", "cc"]);
    expect(readBody(Buffer.from(`{"input":[${opening},${output("t", "aaaa}")}`), memo).ok).toBe(false);
  });

  it("of an opening that is no longer one is read anew", () => {
    const memo = new Map<string, unknown>();
    const rules = '{"role":"developer","content":"rules"}';
    const before = open(`{"input":[${rules},${rules},{"role":"user","content":"go"}]}`, memo);
    expect(before.source.transcript.header.systemTexts).toEqual(["rules", "rules"]);
    const body = `{"input":[{"role":"user","content":"hm"},${rules},{"role":"user","content":"go"}]}`;
    const after = open(body, memo);
    expect(after.source.transcript).toEqual(open(body).source.transcript);
    expect(after.items.map(({ role }) => role)).toEqual(["user", "system", "user"]);
  });
});
