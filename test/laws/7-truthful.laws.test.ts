import { test } from "vitest";
import { judgeTruth } from "./judges/truth-judge.ts";
import { expectLaw, TIMEOUT_MS } from "./property.ts";
import { realWorld } from "./world.ts";

test("truthful: a marker claims no more than the body it stands in proves", { timeout: TIMEOUT_MS }, async () => {
  await expectLaw(realWorld, () => [judgeTruth]);
});
