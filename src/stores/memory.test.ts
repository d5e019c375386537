import { describe, expect, test } from "vitest";
import { type StoreSpace, testStore } from "../testing/test-store.ts";
import { originalOf } from "../testing/test-store-samples.ts";
import { createMemoryStore } from "./memory.ts";

/** All handles are one store: memory has no second process. */
async function createSpace(): Promise<StoreSpace> {
  let store: ReturnType<typeof createMemoryStore> | null = null;
  return {
    isPersistent: false,
    async open(bytesMax) {
      store ??= createMemoryStore(bytesMax === undefined ? {} : { bytesMax });
      return store;
    },
    dispose: async () => store?.close(),
  };
}

describe("the memory store", () => {
  for (const { name, run } of testStore(createSpace)) test(name, run);

  test("shares no bytes with those who give or take them", async () => {
    const store = createMemoryStore();
    const bytes = Buffer.from("unchanged");
    const { digest } = originalOf(bytes);
    await store.putOriginals("t", [{ digest, bytes }], 1);
    bytes.fill(0);
    const taken = await store.getOriginal("t", digest);
    if (taken.state === "present") taken.bytes.fill(0);
    expect(await store.getOriginal("t", digest)).toEqual({ state: "present", bytes: Buffer.from("unchanged") });
  });
});
