import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toJsonBytes } from "./json-scan.ts";
import { stringBytes } from "./json-strings.ts";
import { encodeWtf8 } from "./wtf8.ts";

function bytesOf(json: string | Uint8Array) {
  const text = toJsonBytes(Buffer.from(json));
  return stringBytes(text, { start: 0, end: text.bytes.length });
}

const escapedChar = fc.oneof(
  fc.constantFrom("\\n", "\\t", '\\"', "\\\\", "\\/", "\\b", "\\f", "\\r", "a", "é", "😀"),
  fc.integer({ min: 0, max: 0xffff }).map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`),
  fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => `\\u${unit.toString(16).toUpperCase()}`),
);

describe("the bytes of a JSON string", () => {
  it("are those of the decoded text, lone surrogates kept", () => {
    fc.assert(
      fc.property(fc.array(escapedChar, { maxLength: 12 }), (chars) => {
        const json = `"${chars.join("")}"`;
        const { bytes, isExact, lineFeeds } = bytesOf(json);
        expect(isExact).toBe(true);
        expect(lineFeeds).toBe(JSON.parse(json).split("\n").length - 1);
        expect(Buffer.from(bytes)).toEqual(Buffer.from(encodeWtf8(JSON.parse(json))));
      }),
      { numRuns: 1_000 },
    );
  });

  it("share memory with the body where nothing is escaped", () => {
    const body = Buffer.from('"plain"');
    const { bytes } = stringBytes(toJsonBytes(body), { start: 0, end: body.length });
    expect(bytes.buffer).toBe(body.buffer);
  });

  it("say when the bytes were not UTF-8", () => {
    const { bytes, isExact } = bytesOf(Buffer.from([0x22, 0x61, 0xff, 0x5c, 0x6e, 0x22]));
    expect(isExact).toBe(false);
    expect(Buffer.from(bytes).toString()).toBe("a\ufffd\n");
  });
});
