import { test } from "vitest";
import { judgeBytes } from "./judges/byte-judge.ts";
import { judgePairs } from "./judges/pair-judge.ts";
import { expectLaw, TIMEOUT_MS } from "./property.ts";
import { realWorld } from "./world.ts";

test("paired: calls keep their results, and all that is no result keeps its bytes", {
  timeout: TIMEOUT_MS,
}, async () => {
  await expectLaw(realWorld, () => [judgePairs, judgeBytes(["paired"])]);
});
