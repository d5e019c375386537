import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joined } from "./joined.ts";

const memory = Buffer.from("abcdefghijklmnopqrstuvwxyz");

describe("pieces that are joined", () => {
  it("hold the bytes of all of them in order, wherever they lie", () => {
    const piece = fc.oneof(
      fc
        .tuple(fc.nat(26), fc.nat(26))
        .map(([one, other]) => memory.subarray(Math.min(one, other), Math.max(one, other))),
      fc.uint8Array({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        expect(Buffer.from(joined(pieces))).toEqual(Buffer.concat(pieces));
      }),
    );
  });

  it("share the memory of pieces that lie one behind the other", () => {
    const { buffer, byteOffset, length } = joined([
      memory.subarray(2, 5),
      memory.subarray(5, 6),
      memory.subarray(6, 9),
    ]);
    expect([buffer === memory.buffer, byteOffset - memory.byteOffset, length]).toEqual([true, 2, 7]);
  });
});
