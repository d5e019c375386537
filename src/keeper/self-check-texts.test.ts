import { describe, expect, it } from "vitest";
import { insertedTexts } from "./self-check-texts.ts";

const put = (...pieces: readonly string[]) =>
  insertedTexts(pieces.map((piece, at) => ({ start: at, end: at + 1, inserted: Buffer.from(piece) })));

const BLOCK = '{"type":"text","text":"m"}';
const OPEN = '{"type":"text","text":"m","cache_control":';

describe("what was put into a body", () => {
  it("is texts, text blocks, and text blocks around a breakpoint", () => {
    expect(put('"a"', BLOCK, OPEN, "}", "", '"b"')).toEqual(["a", "m", "m", "b"]);
    expect(put()).toEqual([]);
  });

  it.each([
    ["a number", ["5"]],
    ["another block", ['{"type":"image","text":"m"}']],
    ["a block with more in it", ['{"type":"text","text":"m","x":1}']],
    ["a block without a text", ['{"type":"text","text":5}']],
    ["two blocks", [`${BLOCK},${BLOCK}`]],
    ["a block that is not closed", [OPEN]],
    ["a block that is closed by something else", [OPEN, '"a"']],
    ["an end without a beginning", ["}"]],
  ])("is refused as %s", (_, pieces) => {
    expect(put(...pieces)).toBeNull();
  });
});
