import { describe, expect, it } from "vitest";
import type { Edit } from "../../model/edit.ts";
import { createOpenaiChat } from "./index.ts";

const wire = createOpenaiChat();

/** The written body as text; `texts` are put in the place of results and media, in order. */
function written(json: string, ...texts: readonly string[]): string {
  const body = Buffer.from(json);
  const outcome = wire.read(body, new Map());
  if (!outcome.ok) throw new Error(outcome.words);
  const { source } = outcome;
  const items = source.transcript.items.filter(({ kind }) => kind === "result" || kind === "media");
  const script = items.flatMap((item, index): readonly Edit[] => {
    const text = texts[index];
    return text === undefined ? [] : [{ kind: "replace", itemKey: item.key, text }];
  });
  return Buffer.concat(wire.write(body, source, script)).toString();
}

const tool = (content: string) => `{"messages":[{"role":"tool","tool_call_id":"t", "content" : ${content} }], "x":1.0}`;
const user = (part: string) => `{"messages":[{"role":"user","content":[ ${part} , {"type":"text","text":"t"}]}]}`;
const part = (words: string, more = "") => `{"type":"text","text":"${words}"${more}}`;
const MARK = '"prompt_cache_breakpoint":{"mode" : "explicit"}';

describe("a text in the place of a result", () => {
  it("stands where its string stood", () => {
    expect(written(tool('"a\\n"'), 'm "é"')).toBe(tool('"m \\"é\\""'));
  });

  it("stands in the first of its parts, the others cut with one comma each", () => {
    expect(written(tool(`[ ${part("a")} , ${part("b")} , ${part("c")} ]`), "m")).toBe(tool(`[ ${part("m")} ]`));
  });

  it("stands in the last part that carries a breakpoint, where only text stands before it", () => {
    const marked = (words: string) => part(words, `,${MARK}`);
    const controlled = (words: string) => part(words, ',"cache_control":{"type":"ephemeral"}');
    expect(written(tool(`[${part("a")},${marked("b")},${part("c")}]`), "m")).toBe(tool(`[${marked("m")}]`));
    expect(written(tool(`[${part("a")},${controlled("b")}]`), "m")).toBe(tool(`[${controlled("m")}]`));
  });

  it("leaves pictures between its parts", () => {
    const image = '{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}';
    expect(written(tool(`[${part("a")},${image},${part("b")}]`), "m")).toBe(tool(`[${part("m")},${image}]`));
  });
});

describe("a text in the place of a picture", () => {
  const image = (more = "") => `{"image_url":{"url":"data:image/png;base64,aGk="},${more}"type":"image_url"}`;

  it("is a text part", () => expect(written(user(image()), "m")).toBe(user(part("m"))));

  it("keeps its breakpoint as it was written", () => {
    expect(written(user(image(`${MARK},`)), "m")).toBe(user(part("m", `,${MARK.replace('": ', '":')}`)));
  });

  it("stands in a result as well", () => {
    expect(written(tool(`[${image()},${part("a")}]`), "n", "m")).toBe(tool(`[${part("m")},${part("n")}]`));
  });

  it("is not written where the body only refers to it", () => {
    const named = '{"type":"image_url","image_url":{"url":"https://x.y/z.png"}}';
    expect(written(user(named), "m")).toBe(user(named));
  });
});
