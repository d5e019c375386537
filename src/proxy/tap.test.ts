import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import type { ResponseWatcher } from "../model/ports.ts";
import { createTap, UNKNOWN_FACTS } from "./tap.ts";

const FACTS = { ...UNKNOWN_FACTS, messageId: "seen", isComplete: true };
const EVENTS = Buffer.from('event: x\ndata: {"text":"grüße 🌊"}\n\n'.repeat(3000));

function createWatcher(push: (chunk: Uint8Array) => void = () => undefined) {
  const seen: Uint8Array[] = [];
  const watcher: ResponseWatcher = {
    push(chunk) {
      push(chunk);
      seen.push(Buffer.from(chunk));
    },
    finish: () => FACTS,
  };
  return { watcher, seen: () => Buffer.concat(seen) };
}

function pushInPieces(tap: { push(chunk: Uint8Array): void }, bytes: Buffer, size: number): void {
  for (let start = 0; start < bytes.length; start += size) tap.push(bytes.subarray(start, start + size));
}

test.each([
  [null, EVENTS],
  ["identity", EVENTS],
  ["gzip", gzipSync(EVENTS)],
  ["GZIP", gzipSync(EVENTS)],
  ["br", brotliCompressSync(EVENTS)],
])("a response coded as %s is watched decoded, whatever its pieces", async (coding, bytes) => {
  const { watcher, seen } = createWatcher();
  const onGiveUp = vi.fn();
  const tap = createTap(watcher, coding, onGiveUp);
  pushInPieces(tap, bytes, 7);
  expect(await tap.finish()).toEqual(FACTS);
  expect(seen().equals(EVENTS)).toBe(true);
  expect(onGiveUp).not.toHaveBeenCalled();
});

test.each(["zstd, gzip", "compress"])("a response coded as %s is not watched", async (coding) => {
  const { watcher, seen } = createWatcher();
  const onGiveUp = vi.fn();
  const tap = createTap(watcher, coding, onGiveUp);
  tap.push(EVENTS);
  tap.push(EVENTS);
  expect(await tap.finish()).toEqual(UNKNOWN_FACTS);
  expect(seen()).toHaveLength(0);
  expect(onGiveUp).toHaveBeenCalledTimes(1);
});

test("of a response cut inside its coding, what came before is known", async () => {
  const { watcher, seen } = createWatcher();
  const bytes = gzipSync(EVENTS, { level: 0 });
  const tap = createTap(watcher, "gzip", () => undefined);
  tap.push(bytes.subarray(0, bytes.length / 2));
  expect(await tap.finish()).toEqual(FACTS);
  expect(seen().length).toBeGreaterThan(0);
  expect(EVENTS.subarray(0, seen().length).equals(seen())).toBe(true);
});

test("bytes that are not what their coding says end the tap quietly", async () => {
  const { watcher } = createWatcher();
  const tap = createTap(watcher, "gzip", () => undefined);
  tap.push(Buffer.from("not gzip at all"));
  await new Promise((resolve) => setImmediate(resolve));
  tap.push(Buffer.from("more"));
  expect(await tap.finish()).toEqual(FACTS);
});

test("a watcher that throws is not asked again", async () => {
  const push = vi.fn(() => {
    throw new Error("a fault of the watcher");
  });
  const { watcher } = createWatcher(push);
  const onGiveUp = vi.fn();
  const tap = createTap(watcher, null, onGiveUp);
  tap.push(EVENTS);
  tap.push(EVENTS);
  expect(await tap.finish()).toEqual(UNKNOWN_FACTS);
  expect(push).toHaveBeenCalledTimes(1);
  expect(onGiveUp).toHaveBeenCalledTimes(1);
});

test("a watcher that throws at the end leaves the facts unknown", async () => {
  const watcher: ResponseWatcher = {
    push: () => undefined,
    finish: () => {
      throw new Error("a fault of the watcher");
    },
  };
  expect(await createTap(watcher, null, () => undefined).finish()).toEqual(UNKNOWN_FACTS);
});

test("compressed bytes that would wait beyond the limit end the tap instead of taking memory", async () => {
  const { watcher, seen } = createWatcher();
  const onGiveUp = vi.fn();
  const bytes = gzipSync(EVENTS, { level: 0 });
  const tap = createTap(watcher, "gzip", onGiveUp, { waitingBytesMax: 1000, decodedBytesMax: 1e9 });
  pushInPieces(tap, bytes, 600);
  expect(await tap.finish()).toEqual(UNKNOWN_FACTS);
  expect(onGiveUp).toHaveBeenCalledTimes(1);
  expect(seen().length).toBeLessThan(1000);
});

test("a response that decodes to more than the limit ends the tap", async () => {
  const { watcher, seen } = createWatcher();
  const onGiveUp = vi.fn();
  const tap = createTap(watcher, "gzip", onGiveUp, { waitingBytesMax: 1e9, decodedBytesMax: 70_000 });
  tap.push(gzipSync(Buffer.alloc(10_000_000)));
  expect(await tap.finish()).toEqual(UNKNOWN_FACTS);
  expect(onGiveUp).toHaveBeenCalledTimes(1);
  expect(seen().length).toBeLessThanOrEqual(70_000);
});
