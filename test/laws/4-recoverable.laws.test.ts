import { test } from "vitest";
import { judgeRecall } from "./judges/recall-judge.ts";
import { expectLaw, TIMEOUT_MS } from "./property.ts";
import { realWorld } from "./world.ts";

test("recoverable: as a body leaves, every marker in it brings back its exact original", {
  timeout: TIMEOUT_MS,
}, async () => {
  await expectLaw(realWorld, (world) => [judgeRecall(world)]);
});
