import { defineConfig } from "vitest/config";
import { testReporters } from "./test/support/reporters.ts";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "bench/src/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**", "test/e2e/clients/**"],
    reporters: testReporters(),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // Modules hold no state, so files share what a worker has loaded: half of the time of a run goes into loading it anew.
    isolate: false,
  },
});
