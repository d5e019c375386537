import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeWtf8, encodeWtf8, joinWtf8 } from "./wtf8.ts";

const units = fc
  .array(fc.oneof(fc.integer({ min: 0xd7ff, max: 0xe000 }), fc.integer({ min: 0, max: 0xffff })), { maxLength: 12 })
  .map((codes) => String.fromCharCode(...codes));

describe("WTF-8", () => {
  it("is UTF-8 for well-formed text", () => {
    expect(encodeWtf8("aé€😀\ufffd")).toEqual(Buffer.from("aé€😀\ufffd"));
  });

  it("keeps each lone surrogate as three bytes", () => {
    expect([...encodeWtf8("é\ud83dx")]).toEqual([0xc3, 0xa9, 0xed, 0xa0, 0xbd, 0x78]);
    expect([...encodeWtf8("😀\ude00")]).toEqual([0xf0, 0x9f, 0x98, 0x80, 0xed, 0xb8, 0x80]);
  });

  it("gives every text back, long and short", () => {
    fc.assert(fc.property(units, (text) => decodeWtf8(encodeWtf8(text)) === text));
    fc.assert(fc.property(units, (text) => decodeWtf8(encodeWtf8(text.repeat(400))) === text.repeat(400)));
  });

  it("joins parts to the bytes of the joined text", () => {
    fc.assert(
      fc.property(fc.array(units, { maxLength: 4 }), (texts) => {
        expect(Buffer.from(joinWtf8(texts.map(encodeWtf8)))).toEqual(Buffer.from(encodeWtf8(texts.join(""))));
      }),
    );
  });

  it("replaces bytes that are neither", () => {
    expect(decodeWtf8(Buffer.from([0x61, 0xff, 0xed, 0xa0, 0xbd, 0xc3]))).toBe("a\ufffd\ud83d\ufffd");
  });
});
