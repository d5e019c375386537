import { describe, expect, it } from "vitest";
import { insertedParts, type Parts } from "./self-check-parts.ts";

const put = (...pieces: readonly string[]) =>
  insertedParts(
    pieces.map((piece, at) => {
      const inserted = Buffer.from(piece);
      return { start: at, end: at + 1, inserted, pieces: piece === "" ? [] : [inserted] };
    }),
  );

const NOTHING: Parts = { texts: [], notes: [], lifetimes: [], asked: [], references: [], fields: [] };
const BLOCK = '{"type":"text","text":"m"}';
const OPEN = '{"type":"text","text":"m","cache_control":';
const MARK = ',"cache_control":{"type":"ephemeral"}';
const HOUR = ',"cache_control":{"type":"ephemeral","ttl":"1h"}';
const LIST = '[{"type":"text","text":';
const ASK = '{"type":"x","list":[{"type":"d","name":"t1"},{"type":"d","name":"t2"}]}';
const FILLER = '{"type":"text","text":"."}';

describe("what was put into a body", () => {
  it("is texts, text blocks, and text blocks around a breakpoint", () => {
    expect(put('"a"', BLOCK, OPEN, "}", "", '"b"')).toEqual({ ...NOTHING, texts: ["a", "m", "m", "b"] });
    expect(put()).toEqual(NOTHING);
  });

  it.each([
    ['{"type":"input_text","text":"m"}'],
    ['{"text":"m"}'],
    ['{"output":"m"}'],
    ['{"type":"text","text":"m","prompt_cache_breakpoint":', "}"],
    ['{"type":"input_text","text":"m","prompt_cache_breakpoint":', "}"],
  ])("is texts in the forms of other formats: %s", (...pieces) => {
    expect(put(...pieces)).toEqual({ ...NOTHING, texts: ["m"] });
  });

  it("is breakpoints, alone and within a text block", () => {
    const marked = BLOCK.replace("}", `${HOUR}}`);
    expect(put(MARK, marked)).toEqual({ ...NOTHING, texts: ["m"], lifetimes: [300_000, 3_600_000] });
  });

  it("is notes and deletions, behind blocks and around a text that was alone", () => {
    expect(put(`,${BLOCK}`, `,${ASK}`)).toEqual({ ...NOTHING, notes: ["m"], asked: ["t1", "t2"] });
    expect(put(LIST, `},${ASK},${FILLER},${BLOCK}]`)).toEqual({ ...NOTHING, notes: ["m"], asked: ["t1", "t2"] });
    expect(put(`,${FILLER}`)).toEqual({ ...NOTHING, notes: ["."] });
  });

  it("is names of results, and members of the request", () => {
    expect(put(',"name":"t1"', ',"context_management":{"edits":[]}', ',"block_binding":{}')).toEqual({
      ...NOTHING,
      references: ["t1"],
      fields: [
        ["context_management", { edits: [] }],
        ["block_binding", {}],
      ],
    });
  });

  it.each([
    ["a number", ["5"]],
    ["another block", ['{"type":"image","text":"m"}']],
    ["a block with more in it", ['{"type":"text","text":"m","x":1}']],
    ["an output beside a text", ['{"output":"m","text":"m"}']],
    ["an output of a type", ['{"type":"text","output":"m"}']],
    ["an output that is no text", ['{"output":5}']],
    ["an output with more in it", ['{"output":"m","x":1}']],
    ["a typeless block with a breakpoint", ['{"text":"m","cache_control":{"type":"ephemeral"}}']],
    ["nothing at all", ["{}"]],
    ["a block without a text", ['{"type":"text","text":5}']],
    ["two blocks", [`${BLOCK},${BLOCK}`]],
    ["a block that is not closed", [OPEN]],
    ["a block that is closed by something else", [OPEN, '"a"']],
    ["an end without a beginning", ["}"]],
    ["a breakpoint of another kind", [MARK.replace("ephemeral", "x")]],
    ["a breakpoint with another lifetime", [HOUR.replace("1h", "2h")]],
    ["a breakpoint with more in it", [MARK.replace("}", ',"x":1}')]],
    ["a text block with a breakpoint that is none", [BLOCK.replace("}", ',"cache_control":null}')]],
    ["two members", [`${MARK},"name":"t1"`]],
    ["a member with another value", [',"name":5']],
    ["another block behind one", [',{"type":"image"}']],
    ["a block behind one with more in it", [`,${BLOCK.replace("}", ',"x":1}')}`]],
    ["nothing behind a block", [","]],
    ["a deletion of nothing", [`,${ASK.replace(/\[.*\]/, "[]")}`]],
    ["a deletion with more in it", [`,${ASK.replace('"type":"x"', '"type":"x","y":1')}`]],
    ["a deletion by two names", [`,${ASK.replace('"name":"t1"', '"name":"t1","other":"t2"')}`]],
    ["a list that is not closed", [LIST]],
    ["a list that is closed by something else", [LIST, `,${BLOCK}`]],
    ["a list with nothing more in it", [LIST, "}]"]],
  ])("is refused as %s", (_, pieces) => {
    expect(put(...pieces)).toBeNull();
  });
});
