import { describe, expect, it } from "vitest";
import { type CachingRequest, cachedCountOf, LIFETIME_MAX_MS, mergedCaches, NO_CACHES, withRequest } from "./caches.ts";
import { COLD_SLACK_MS } from "./moment.ts";

const TTL_MS = 300_000;
const base: CachingRequest = {
  model: "a",
  cacheKey: "k",
  itemCount: 5,
  cacheTtlMs: TTL_MS,
  atMs: 1_000,
  hasUnseen: false,
};
const other = { model: "b", cacheKey: "k" };

describe("what the provider may hold", () => {
  it("is what was sent under the same model and key, until it has certainly expired", () => {
    const caches = withRequest(NO_CACHES, base);
    const end = 1_000 + TTL_MS + COLD_SLACK_MS;
    expect([end - 1, end].map((nowMs) => cachedCountOf(caches, base, nowMs))).toEqual([5, 0]);
    expect(cachedCountOf(caches, other, 1_000)).toBe(0);
    expect(cachedCountOf(caches, { ...base, cacheKey: "l" }, 1_000)).toBe(0);
  });

  it("lasts for ever where no lifetime is on record", () => {
    const caches = withRequest(withRequest(NO_CACHES, { ...base, cacheTtlMs: null }), base);
    expect(cachedCountOf(caches, base, Number.MAX_SAFE_INTEGER)).toBe(5);
  });

  it("is the most that any request may have left, also where a later one began earlier by its clock", () => {
    const caches = withRequest(withRequest(NO_CACHES, { ...base, atMs: 900_000 }), { ...base, itemCount: 7, atMs: 0 });
    expect(cachedCountOf(caches, base, 900_000 + TTL_MS)).toBe(7);
  });

  it("is all of it under any name for an hour where others went before", () => {
    const caches = withRequest(NO_CACHES, { ...base, hasUnseen: true });
    const end = 1_000 + LIFETIME_MAX_MS + COLD_SLACK_MS;
    expect([end - 1, end].map((nowMs) => cachedCountOf(caches, other, nowMs))).toEqual([5, 0]);
  });

  it("counts under any name once there are more names than are kept apart", () => {
    let caches = NO_CACHES;
    for (let name = 0; name < 32; name++) caches = withRequest(caches, { ...base, cacheKey: String(name) });
    expect(cachedCountOf(caches, other, 1_000)).toBe(0);
    caches = withRequest(caches, { ...base, cacheKey: "one more" });
    expect(cachedCountOf(caches, other, 1_000)).toBe(5);
    expect(caches.named.size).toBe(32);
  });

  it("is what both hold where two are merged", () => {
    const left = withRequest(NO_CACHES, base);
    const right = withRequest(withRequest(NO_CACHES, { ...base, itemCount: 9 }), { ...base, ...other, itemCount: 2 });
    const merged = mergedCaches(left, right);
    expect([base, other].map((name) => cachedCountOf(merged, name, 1_000))).toEqual([9, 2]);
    expect(cachedCountOf(left, other, 1_000)).toBe(0);
  });
});
