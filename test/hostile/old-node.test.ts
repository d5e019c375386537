import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { NODE_OLDEST } from "../../src/cli/doctor/checks/node-version.ts";
import { textOf } from "../support/tidy/repository.ts";

const PROGRAM = join(resolve(import.meta.dirname, "../.."), "bin", "ebb.mjs");

/** Runs the program in a Node that says it is of another version. */
function runAs(version: string, ...args: readonly string[]) {
  const disguise = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`;
  return spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(disguise)}`, PROGRAM, ...args],
    {
      encoding: "utf8",
      env: {},
    },
  );
}

test.each(["18.20.8", "20.18.3", "4.9.1"])(
  "an old Node is told of by the doctor, and nothing else is run: %s",
  (version) => {
    const { status, stdout, stderr } = runAs(version, "doctor");
    expect([status, stderr]).toEqual([2, ""]);
    expect(stdout).toContain(`${version} is too old: Ebb needs ${NODE_OLDEST.join(".")} or newer`);
    expect(stdout).toContain("npm rebuild better-sqlite3");
  },
);

test("as JSON it is a finding like any other", () => {
  const { status, stdout } = runAs("18.20.8", "doctor", "--json");
  expect([status, JSON.parse(stdout)]).toEqual([
    2,
    {
      version: null,
      exit: 2,
      findings: [
        {
          area: "installation",
          name: "Node",
          state: "fail",
          words: "18.20.8 is too old: Ebb needs 20.19 or newer",
          fix: expect.stringContaining("install a newer Node"),
        },
      ],
    },
  ]);
});

test("every other command says it on the error stream", () => {
  const { status, stdout, stderr } = runAs("18.20.8", "stats");
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^ebb: Node 18\.20\.8 is too old: Ebb needs 20\.19 or newer; /);
});

test("the program imports nothing before it looked, in words that an old Node can read", () => {
  const text = textOf("bin/ebb.mjs");
  expect(text).toContain(`const OLDEST = [${NODE_OLDEST.join(", ")}];`);
  expect(text).not.toMatch(/^import |\bawait\b|\?\.|\?\?|\bfrom "/m);
});
