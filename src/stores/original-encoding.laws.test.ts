import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeOriginal, encodeOriginal } from "./original-encoding.ts";

test("any bytes come back exactly and never take more room than they had", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 3_000 }), fc.integer({ min: 1, max: 40 }), async (piece, times) => {
      const bytes = Buffer.concat(Array.from({ length: times }, () => piece));
      const encoded = await encodeOriginal(bytes);
      expect(encoded.bytes.length).toBeLessThanOrEqual(bytes.length);
      const decoded = decodeOriginal(encoded.encoding, encoded.bytes, bytes.length);
      expect(decoded !== null && Buffer.compare(decoded, bytes) === 0).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test("text is compressed, also when it is large; media stay as they are", async () => {
  const text = Buffer.from("export const answer = 42;\n".repeat(20_000));
  expect((await encodeOriginal(text.subarray(0, 4_000))).encoding).toBe("brotli");
  expect((await encodeOriginal(text)).encoding).toBe("brotli");
  expect((await encodeOriginal(randomBytes(300_000))).encoding).toBe("raw");
});

test("stored bytes that were damaged, or claim another size, decode to nothing", async () => {
  const text = Buffer.from("line of a file\n".repeat(500));
  const { encoding, bytes } = await encodeOriginal(text);
  expect(encoding).toBe("brotli");
  expect(decodeOriginal(encoding, bytes.subarray(0, bytes.length - 3), text.length)).toBeNull();
  expect(decodeOriginal(encoding, bytes, text.length - 1)).toBeNull();
  expect(decodeOriginal(encoding, bytes, text.length + 1)).toBeNull();
  expect(decodeOriginal("raw", text, text.length - 1)).toBeNull();
  expect(decodeOriginal("zstd", bytes, text.length)).toBeNull();
});
