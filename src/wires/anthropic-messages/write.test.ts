import { describe, expect, it } from "vitest";
import type { ResultItem } from "../../model/item.ts";
import { readBody } from "./read.ts";
import { writeBody } from "./write.ts";

function open(json: string | Buffer) {
  const body = Buffer.from(json);
  const outcome = readBody(body, new Map());
  if (!outcome.ok) throw new Error(outcome.words);
  const { source } = outcome;
  const results = source.transcript.items.filter((item): item is ResultItem => item.kind === "result");
  const write = (...texts: string[]) => {
    const script = results.flatMap((item, index) => {
      const text = texts[index];
      return text === undefined ? [] : [{ kind: "replace", itemKey: item.key, text } as const];
    });
    return Buffer.concat(writeBody(body, source, script)).toString();
  };
  return { body, source, results, write };
}

const around = (block: string) =>
  `{"x":1.0, "messages" : [ {"role":"user","content":[ ${block} ]}],"max_tokens":1e3}\n`;
const withContent = (content: string) => around(`{"type":"tool_result","tool_use_id":"t", "content" : ${content} }`);

function isReplaceable(content: string): boolean | undefined {
  return open(withContent(content)).results[0]?.isReplaceable;
}

describe("writing", () => {
  it("replaces the string of string content and not a byte else", () => {
    expect(open(withContent('"old\\n"')).write('n"é\ud800')).toBe(withContent('"n\\"é\\ud800"'));
  });

  it("replaces the first text block's string and cuts the others, each with one comma", () => {
    const before =
      '[ {"type":"image","source":{"type":"url","url":"u"}} , {"text":"a","type":"text","cache_control":{}} ,{"type":"text","text":"b"}, {"type":"document","source":{"type":"file","file_id":"f"}} , {"type":"text","text":"c"},{"type":"text","text":"d"} ]';
    const after =
      '[ {"type":"image","source":{"type":"url","url":"u"}} , {"text":"m","type":"text","cache_control":{}}, {"type":"document","source":{"type":"file","file_id":"f"}} ]';
    const { write, results } = open(withContent(before));
    expect(results[0]).toMatchObject({ isReplaceable: true, mediaCount: 2 });
    expect(write("m")).toBe(withContent(after));
  });

  it("keeps a text block's breakpoint wherever the client has put it, and the new text in its place among media", () => {
    const text = (words: string, more = "") => `{"type":"text","text":"${words}"${more}}`;
    const breakpoint = ',"cache_control":{"type":"ephemeral"}';
    const image = '{"type":"image","source":{"type":"url","url":"u"}}';
    for (const [before, after] of [
      [`[${text("a")} , ${text("b", breakpoint)}]`, `[${text("m", breakpoint)}]`],
      [`[${text("a")},${text("b", breakpoint)} , ${text("c")}]`, `[${text("m", breakpoint)}]`],
      [`[ ${text("a", breakpoint)},${text("b")} ,${text("c", breakpoint)}]`, `[ ${text("m", breakpoint)}]`],
      [`[${image}, ${text("a")},${text("b", breakpoint)},${image}]`, `[${image}, ${text("m", breakpoint)},${image}]`],
      [`[${text("a")},${image} ,${text("b", breakpoint)} ]`, `[${text("m")},${image} ]`],
    ] as const) {
      const { write, results } = open(withContent(before));
      expect(results[0]?.isReplaceable, before).toBe(true);
      expect(write("m"), before).toBe(withContent(after));
    }
  });

  it("makes edits of several messages in the order of the body, and of one item the last", () => {
    const block = (id: string) => `{"type":"tool_result","tool_use_id":"${id}","content":"old"}`;
    const json = `{"messages":[{"role":"user","content":[${block("a")},${block("b")}]},{"role":"user","content":[${block("c")}]}]}`;
    const { body, source, results } = open(json);
    const edit = (index: number, text: string) =>
      ({ kind: "replace", itemKey: results[index]?.key ?? "", text }) as const;
    const slices = writeBody(body, source, [edit(2, "C"), edit(0, "first"), edit(0, "A")]);
    expect(Buffer.concat(slices).toString()).toBe(json.replace('"old"', '"A"').replace(/"old"(?=\}\]\}\]\})/, '"C"'));
    expect(
      slices.filter((slice) => slice.buffer === body.buffer && slice.byteOffset >= body.byteOffset).length,
    ).toBeGreaterThanOrEqual(3);
  });

  it("never writes an empty text", () => {
    expect(open(withContent('"old"')).write("")).toBe(withContent('"old"'));
  });

  it("reaches the content that counts when one is escaped", () => {
    const block = '{"type":"tool_result","tool_use_id":"t","c\\u006fntent":"old"}';
    expect(open(around(block)).write("new")).toBe(around(block.replace("old", "new")));
  });
});

describe("a result that is not to be replaced anew still takes the form it was sent in", () => {
  const first = '{"type":"tool_result","tool_use_id":"t","content":"a"}';
  const marked = first.replace('"a"', '"m"');

  it.each([
    ["beside an unknown block", withContent('[{"type":"new"},{"type":"text","text":"a"} , 5]'), '"a"', '"m"'],
    [
      "in several texts around an unknown block",
      withContent('[{"type":"text","text":"a"},{"type":"new"} , {"type":"text","text":"b"}]'),
      '"a"},{"type":"new"} , {"type":"text","text":"b"}',
      '"m"},{"type":"new"}',
    ],
    ["under a key that comes twice", around(first.replace("}", ',"content":"b"}')), '"b"', '"m"'],
    ["in a block with a key twice", withContent('[{"type":"text","text":"a","text":"b"}]'), '"b"', '"m"'],
    [
      "in a message with a key twice",
      `{"messages":[{"role":"user","role":"user","content":[${first}]}]}`,
      first,
      marked,
    ],
    [
      "in the second list of messages",
      `{"messages":[],"messages":[{"role":"user","content":[${first}]}]}`,
      first,
      marked,
    ],
    [
      "before a message of unknown role",
      `{"messages":[{"role":"user","content":[${first}]},{"role":"x"}]}`,
      first,
      marked,
    ],
  ])("%s", (_, body, before, after) => {
    const { results, write } = open(body);
    expect(results[0]?.isReplaceable).toBe(false);
    expect(write("m")).toBe(body.replace(before, after));
  });
});

describe("a result", () => {
  it("is replaceable with text, images and documents", () => {
    expect(isReplaceable('"a"')).toBe(true);
    expect(isReplaceable('[{"type":"text","text":"a"},{"type":"text","text":"b","cache_control":null}]')).toBe(true);
    expect(isReplaceable('[{"type":"document","source":{"type":"text","data":"x"}},{"type":"text","text":"a"}]')).toBe(
      true,
    );
  });

  it("is not replaceable without any text", () => {
    for (const content of ["null", "[]", '[{"type":"image","source":{"type":"url","url":"u"}}]', "5", "{}"]) {
      expect(isReplaceable(content), content).toBe(false);
    }
  });

  it("is not replaceable with blocks of another kind or shape beside the text", () => {
    for (const other of [
      '{"type":"search_result"}',
      '{"type":"tool_reference","tool_name":"x"}',
      '{"type":"image"}',
      '{"type":"text"}',
      "1",
      "{}",
    ]) {
      expect(isReplaceable(`[{"type":"text","text":"a"},${other}]`), other).toBe(false);
    }
  });

  it("is not replaceable when its text is not UTF-8", () => {
    const [before, after] = withContent('"a#b"').split("#");
    const body = Buffer.concat([Buffer.from(before ?? ""), Buffer.from([0xff]), Buffer.from(after ?? "")]);
    const { results, source } = open(body);
    expect(results[0]?.isReplaceable).toBe(false);
    expect(results[0] && source.textOf(results[0])).toBe("a\ufffdb");
  });

  it("is not replaceable when a structural key comes twice, anywhere above or in it", () => {
    const block = '{"type":"tool_result","tool_use_id":"t","content":"a"}';
    const bodies = [
      around(block.replace("}", ',"content":"b"}')),
      around(block.replace('"a"', '[{"type":"text","text":"a","text":"b"}]')),
      `{"messages":[{"role":"user","role":"user","content":[${block}]}]}`,
      `{"messages":[],"messages":[{"role":"user","content":[${block}]}]}`,
    ];
    for (const body of bodies) expect(open(body).results[0]?.isReplaceable, body).toBe(false);
    expect(open(bodies[0] ?? "").source.textOf(open(bodies[0] ?? "").results[0] as ResultItem)).toBe("b");
  });
});
