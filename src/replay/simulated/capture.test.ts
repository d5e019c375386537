import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { CACHE_ENTRIES_MAX, emptyCache, serve } from "./cache.ts";
import { CAPTURED_BYTES_MAX, CAPTURED_REQUESTS_MAX, createCapture } from "./capture.ts";

const request = Object.assign(new IncomingMessage(new Socket()), { method: "POST", url: "/v1/messages" });
const BIG = CAPTURED_BYTES_MAX / 2;

describe("what a provider keeps in memory", () => {
  it("is bounded in requests: the oldest leave and are counted", () => {
    const capture = createCapture(null);
    for (let index = 0; index < CAPTURED_REQUESTS_MAX + 3; index += 1) capture.open(request, new Uint8Array(), index);
    expect(capture.list()).toHaveLength(CAPTURED_REQUESTS_MAX);
    expect(capture.list()[0]?.number).toBe(4);
    expect(capture.dropped()).toBe(3);
  });

  it("is bounded in bytes, and always holds the newest request", () => {
    const capture = createCapture(null);
    const big = Buffer.alloc(BIG, "x");
    const numbers = [capture.open(request, big, 0), capture.open(request, big, 0), capture.open(request, big, 0)];
    expect(capture.list().map((one) => one.number)).toEqual(numbers.slice(1));
    capture.settle(1, { status: 200, end: "whole" });
    expect(capture.list().map((one) => one.end)).toEqual(["open", "open"]);
  });

  it("is bounded in cached prefixes: the longest unused leave", () => {
    const positions = Array.from({ length: CACHE_ENTRIES_MAX + 1 }, (_, index) => ({
      key: `k${index}`,
      tokens: index + 1,
      lifetimeMs: 300_000,
    }));
    const { cache } = serve(emptyCache, { positions, tokens: positions.length }, { atMs: 0, tokensMin: 0 });
    expect(cache.size).toBe(CACHE_ENTRIES_MAX);
    expect([cache.has("k0"), cache.has("k1")]).toEqual([false, true]);
  });
});
