import type { Reporter, TestModule } from "vitest/node";

/** Reporters of every run: what was skipped is named and counted at the end; `EBB_TEST_REPORT` names a JSON report. */
export function testReporters(): ("default" | Reporter | ["json", { outputFile: string }])[] {
  const file = process.env.EBB_TEST_REPORT;
  return [
    "default",
    skippedReporter,
    ...(file === undefined ? [] : [["json", { outputFile: file }] as ["json", { outputFile: string }]]),
  ];
}

const skippedReporter: Reporter = {
  onTestRunEnd(modules) {
    const lines = modules.flatMap(skippedIn);
    const write = (line: string): void => void process.stdout.write(`${line}\n`);
    write(lines.length === 0 ? "Skipped: none" : `Skipped: ${lines.length}`);
    for (const line of lines) write(`  ${line}`);
  },
};

function skippedIn(module: TestModule): readonly string[] {
  const skipped = [...module.children.allTests("skipped")];
  return skipped.map((test) => `${module.relativeModuleId} > ${test.fullName}`);
}
