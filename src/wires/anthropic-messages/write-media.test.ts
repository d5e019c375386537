import { describe, expect, it } from "vitest";
import type { MediaItem } from "../../model/item.ts";
import { readBody } from "./read.ts";
import { writeBody } from "./write.ts";

const source = (bytes: string) =>
  `{"type":"base64","media_type":"image/png","data":"${Buffer.from(bytes).toString("base64")}"}`;
const image = (bytes: string, more = "") => `{"type":"image" ,"source":${source(bytes)}${more}}`;
const text = (words: string) => `{"type":"text","text":"${words}"}`;
const message = (content: string, role = "user") =>
  `{"messages":[{"role":"${role}","content":[ ${content} ]}],"n":1.0}`;
const result = (content: string, more = "") => `{"type":"tool_result","tool_use_id":"t"${more},"content":[${content}]}`;

function open(json: string) {
  const body = Buffer.from(json);
  const outcome = readBody(body, new Map());
  if (!outcome.ok) throw new Error(outcome.words);
  const { items } = outcome.source.transcript;
  const write = (kinds: readonly string[]) => {
    const script = items
      .filter((item) => kinds.includes(item.kind))
      .map((item, index) => ({ kind: "replace", itemKey: item.key, text: `m${index}` }) as const);
    return Buffer.concat(writeBody(body, outcome.source, script)).toString();
  };
  const media = items.filter((item): item is MediaItem => item.kind === "media");
  return { source: outcome.source, media, write };
}

describe("media give way to a text block", () => {
  it("in a message, beside what stays", () => {
    const json = message(`${text("look")}, ${image("one")},${image("two")}`);
    const block = (index: number) => `{"type":"text","text":"m${index}"}`;
    expect(open(json).write(["media"])).toBe(message(`${text("look")}, ${block(0)},${block(1)}`));
  });

  it("in a result, whose text stays readable", () => {
    const json = message(result(`${text("a")} , ${image("one")},${text("b")}`));
    expect(open(json).write(["media"])).toBe(message(result(`${text("a")} , ${text("m0")},${text("b")}`)));
  });

  it("in a result whose texts give way as well", () => {
    const json = message(result(`${image("one")},${text("a")},${image("two")},${text("b")},${image("three")}`));
    const written = `${text("m1")},${text("m0")},${text("m2")},${text("m3")}`;
    expect(open(json).write(["media", "result"])).toBe(message(result(written)));
  });

  it("with the value of their breakpoint as the client wrote it, wherever it stood", () => {
    const value = '{ "ttl":"1h", "type" :"ephemeral"}';
    const behind = message(image("one", `, "cache_control" : ${value} `));
    const first = message(`{"cache\\u005fcontrol":${value},"source":${source("one")},"type":"image"}`);
    const written = message(`{"type":"text","text":"m0","cache_control":${value}}`);
    expect(open(behind).write(["media"])).toBe(written);
    expect(open(first).write(["media"])).toBe(written);
  });

  it("with every other member of theirs, which a text block does not take", () => {
    const document = `{"type":"document","title":"t","citations":{"enabled":true},"source":${source("pdf")}}`;
    expect(open(message(document)).write(["media"])).toBe(message(text("m0")));
  });
});

describe("media can leave", () => {
  const isReplaceable = (json: string) => open(json).media.map((item) => item.isReplaceable);

  it("where the body carries all of them", () => {
    expect(isReplaceable(message(image("one")))).toEqual([true]);
    expect(isReplaceable(message(result(image("one"))))).toEqual([true]);
    const plain = '{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a\\u00e9\\n"}}';
    const { media, source: read } = open(message(plain));
    expect(media[0]).toMatchObject({ isReplaceable: true, mediaType: "text/plain", bytes: 4 });
    expect(media.map((item) => Buffer.from(read.originalOf(item)).toString())).toEqual(["aé\n"]);
  });

  it.each([
    ["a link", '{"type":"url","url":"https://example.com/a.png"}'],
    ["an uploaded file", '{"type":"file","file_id":"f"}'],
    ["blocks of their own", '{"type":"content","content":[{"type":"text","text":"a"}]}'],
    ["nothing", '{"type":"base64","media_type":"image/png","data":""}'],
    ["base64 with other characters in it", '{"type":"base64","media_type":"image/png","data":"aGk=\\n\\n"}'],
    ["base64 without its end", '{"type":"base64","media_type":"image/png","data":"aGk"}'],
  ])("but not as %s", (_, stated) => {
    const json = message(`{"type":"image","source":${stated}}`);
    expect(isReplaceable(json)).toEqual([false]);
  });

  it("but not out of what is said twice, of what the model says, and before a message of no known role", () => {
    const twice = message(`{"type":"image","type":"image","source":${source("one")}}`);
    const twoContents = message(result(image("one"), ',"content":[]'));
    const [before] = [`{"messages":[{"role":"user","content":[${image("one")}]},{"role":"odd","content":"x"}]}`];
    for (const json of [twice, twoContents, message(image("one"), "assistant"), before]) {
      expect(isReplaceable(json), json).toEqual([false]);
    }
    expect(open(before).write(["media"])).toContain("m0");
  });
});
