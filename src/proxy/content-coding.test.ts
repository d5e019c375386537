import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { decodeWhole, isDecodable } from "./content-coding.ts";

const TEXT = Buffer.from("a body that is long enough to be worth it; ".repeat(5000));

test.each([
  ["gzip", gzipSync(TEXT)],
  ["x-gzip", gzipSync(TEXT)],
  ["deflate", deflateSync(TEXT)],
  ["deflate", deflateRawSync(TEXT)],
  ["br", brotliCompressSync(TEXT)],
])("undoes %s", async (coding, bytes) => {
  expect(isDecodable(coding)).toBe(true);
  const decoded = await decodeWhole(bytes, coding, TEXT.length);
  expect(decoded.ok && decoded.bytes.equals(TEXT)).toBe(true);
});

test("a body that would grow over the limit is given up, and said to be", async () => {
  expect(await decodeWhole(gzipSync(TEXT), "gzip", TEXT.length - 1)).toEqual({ ok: false, isOver: true });
});

test.each([
  ["gzip", Buffer.from("not compressed")],
  ["gzip", gzipSync(TEXT).subarray(0, 200)],
  ["br", brotliCompressSync(TEXT).subarray(0, 20)],
  ["deflate", Buffer.alloc(0)],
  ["compress", TEXT],
])("what is not whole %s does not decode", async (coding, bytes) => {
  expect(await decodeWhole(bytes, coding, TEXT.length)).toEqual({ ok: false, isOver: false });
});

test("zstd is decodable exactly where this Node has it", async () => {
  const zlib = await import("node:zlib");
  expect(isDecodable("zstd")).toBe("createZstdDecompress" in zlib);
  expect(isDecodable("dcz")).toBe(false);
});
