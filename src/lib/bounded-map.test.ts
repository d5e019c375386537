import { describe, expect, it } from "vitest";
import { createBoundedMap } from "./bounded-map.ts";

describe("a bounded map", () => {
  it("never holds more than its bound and keeps what is in use", () => {
    const map = createBoundedMap<number, string>(10);
    map.set(0, "used");
    for (let key = 1; key < 1_000; key++) {
      map.set(key, "once");
      expect(map.get(0)).toBe("used");
      expect(map.size).toBeLessThanOrEqual(10);
    }
    expect(map.get(1)).toBeUndefined();
  });

  it("holds each key once", () => {
    const map = createBoundedMap<string, number>(4);
    for (const value of [1, 2, 3, 4, 5]) map.set("same", value);
    expect(Array.from(map.values())).toEqual([5]);
  });

  it("forgets a deleted key in every generation", () => {
    const map = createBoundedMap<string, number>(2);
    map.set("a", 1);
    map.set("b", 2);
    map.delete("a");
    expect(map.get("a")).toBeUndefined();
  });
});
