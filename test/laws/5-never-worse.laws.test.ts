import { test } from "vitest";
import { judgeBytes } from "./judges/byte-judge.ts";
import { expectLaw, TIMEOUT_MS } from "./property.ts";
import { realWorld } from "./world.ts";

test("never worse: a replacement is smaller in bytes and in tokens, and so is the body", {
  timeout: TIMEOUT_MS,
}, async () => {
  await expectLaw(realWorld, () => [judgeBytes(["never worse"])]);
});
