import { describe, expect, it } from "vitest";
import { createReadMemo, lookOnly } from "./read-memo.ts";

const BOUNDS = { entriesMax: 9, bytesMax: 100 };

describe("a read memo", () => {
  it("forgets what was not used for longest once its bytes are taken", () => {
    const memo = createReadMemo(BOUNDS);
    memo.set("a", 1, 40);
    memo.set("b", 2, 40);
    expect(memo.get("a")).toBe(1);
    memo.set("c", 3, 40);
    expect(["a", "b", "c"].map((digest) => memo.get(digest))).toEqual([1, undefined, 3]);
  });

  it("forgets also once there are too many", () => {
    const memo = createReadMemo({ entriesMax: 2, bytesMax: 100 });
    for (const digest of ["a", "b", "c"]) memo.set(digest, digest, 1);
    expect(["a", "b", "c"].map((digest) => memo.get(digest))).toEqual([undefined, "b", "c"]);
  });

  it("counts a value that is replaced once", () => {
    const memo = createReadMemo(BOUNDS);
    memo.set("a", 1, 40);
    for (let round = 0; round < 10; round++) memo.set("b", round, 60);
    expect(["a", "b"].map((digest) => memo.get(digest))).toEqual([1, 9]);
  });

  it("keeps no value beyond its bytes, and no older one in its place", () => {
    const memo = createReadMemo(BOUNDS);
    memo.set("a", 1, 40);
    memo.set("b", 2, 40);
    memo.set("a", 3, 101);
    expect(["a", "b"].map((digest) => memo.get(digest))).toEqual([undefined, 2]);
  });

  it("takes nothing from those who may only look", () => {
    const memo = createReadMemo({ entriesMax: 9, bytesMax: 100_000 });
    memo.set("a", 1);
    lookOnly(memo).set("a", 2);
    expect([memo.get("a"), lookOnly(memo).get("a")]).toEqual([1, 1]);
  });
});
