import { defineConfig } from "vitest/config";
import { testReporters } from "./test/support/reporters.ts";

export default defineConfig({
  test: {
    include: ["test/e2e/clients/**/*.e2e.test.ts"],
    reporters: testReporters(),
    testTimeout: 300_000,
    hookTimeout: 900_000,
    fileParallelism: false,
    maxWorkers: 1,
  },
});
