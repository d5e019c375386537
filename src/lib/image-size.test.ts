import { describe, expect, it } from "vitest";
import { imageSizeOf } from "./image-size.ts";

const bytes = (hex: string) => Buffer.from(hex.replaceAll(" ", ""), "hex");
const PNG = bytes("89504e470d0a1a0a 0000000d 49484452 00000500 00000320 08060000 00");
const GIF = bytes("474946383961 2003 5802 f70000");
const JPEG = bytes("ffd8 ffe0 0010 4a46494600010100000100010000 ff ffdb 0004 0000 ffc2 0011 08 0258 0320 03");
const LOSSY = bytes("52494646 00000000 57454250 56503820 00000000 000000 9d012a 2003 5842");
const LOSSLESS = bytes("52494646 00000000 57454250 5650384c 00000000 2f 1fc39500 0000000000");
const EXTENDED = bytes("52494646 00000000 57454250 56503858 0a000000 10000000 1f0300 570200");

describe("the size of an image", () => {
  it.each([
    ["PNG", PNG, 1_280, 800],
    ["GIF", GIF, 800, 600],
    ["JPEG, whatever segments stand before the frame,", JPEG, 800, 600],
    ["lossy WebP", LOSSY, 800, 600],
    ["lossless WebP", LOSSLESS, 800, 600],
    ["extended WebP", EXTENDED, 800, 600],
  ])("is read from the header of a %s", (_, image, width, height) => {
    expect(imageSizeOf(image)).toEqual({ width, height });
  });

  it("is unknown where bytes are missing, for other files and for nothing", () => {
    for (const image of [PNG, GIF, JPEG, LOSSY, LOSSLESS, EXTENDED]) {
      for (let length = 0; length < image.length; length++) {
        const size = imageSizeOf(image.subarray(0, length));
        expect([null, imageSizeOf(image)]).toContainEqual(size);
      }
    }
    expect(imageSizeOf(Buffer.from("%PDF-1.7 and more than enough bytes for any header"))).toBeNull();
    expect(imageSizeOf(bytes("89504e470d0a1a0a 0000000d 49484452 00000000 00000320 08060000 00"))).toBeNull();
    expect(imageSizeOf(bytes("ffd8 ffe0 0000 ffc0 0011 08 0258 0320"))).toBeNull();
  });
});
