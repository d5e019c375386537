import { describe, expect, test } from "vitest";
import { readConfigText } from "./config-file.ts";

function issuesOf(text: string): readonly string[] {
  return readConfigText(text, "ebb.yaml").issues.map((issue) => `${issue.where}: ${issue.words}`);
}

describe("a configuration file", () => {
  test("states values by option key", () => {
    const layer = readConfigText("port: 1\nbound: off\ncomponents:\n  readlifecycle: { stale: false }\n", "ebb.yaml");
    expect(layer.issues).toEqual([]);
    expect(Object.fromEntries(layer.values)).toEqual({
      port: 1,
      bound: "off",
      "components.readlifecycle.stale": false,
    });
  });

  test("may be empty, and so may its sections", () => {
    expect(readConfigText("", "ebb.yaml").issues).toEqual([]);
    expect(readConfigText("# nothing yet\n", "ebb.yaml").issues).toEqual([]);
    expect(readConfigText("components:\n  readlifecycle:\n", "ebb.yaml").issues).toEqual([]);
  });

  test("is refused for an unknown key at its line, with the one probably meant", () => {
    expect(issuesOf("port: 1\n\nprot: 3")).toEqual(["ebb.yaml:3: prot: unknown key, did you mean port?"]);
    expect(issuesOf("components:\n  readlifecycle:\n    stael: true")).toEqual([
      "ebb.yaml:3: components.readlifecycle.stael: unknown key, did you mean components.readlifecycle.stale?",
    ]);
    expect(issuesOf("min_tokens: 3")).toEqual([
      "ebb.yaml:1: min_tokens: unknown key, did you mean components.readlifecycle.min_tokens?",
    ]);
    expect(issuesOf("quite_other_words: 3")).toEqual(["ebb.yaml:1: quite_other_words: unknown key"]);
    expect(issuesOf("bound: { lines: 1, bytes: 1, bites: 3 }")).toEqual(["ebb.yaml:1: bound.bites: unknown key"]);
  });

  test("is refused for keys written with dots, so that nothing is stated twice unseen", () => {
    expect(issuesOf("components.readlifecycle.stale: true")[0]).toContain("unknown key");
  });

  test("is refused for wrong types and impossible values, with expectation and value", () => {
    expect(
      issuesOf("port: many\nretention_days: 0\nharness_notices: 1\npipeline: [readlifecycle, readlifecycle]"),
    ).toEqual([
      'ebb.yaml:1: port: expected a whole number from 0 to 65535, got "many"',
      "ebb.yaml:2: retention_days: expected a whole number from 1 to 36500, got 0",
      "ebb.yaml:3: harness_notices: expected true or false, got 1",
      'ebb.yaml:4: pipeline: expected a list of different names out of sizebound, readlifecycle, got ["readlifecycle", "readlifecycle"]',
    ]);
    expect(issuesOf("bound:\n  lines: 1\n  bytes: 1\n  tools:\n    Bash: { lines: 0, bytes: 3 }")).toEqual([
      "ebb.yaml:5: bound.tools.Bash.lines: expected a whole number of 1 or more, got 0",
    ]);
    expect(issuesOf("lifetimes: [{ kinds: x, turns: 1 }, 3]")).toEqual([
      'ebb.yaml:1: lifetimes[0].kinds: expected a list of kinds, got "x"',
      "ebb.yaml:1: lifetimes[1]: expected { tools: [NAME], kinds: [KIND], paths: [GLOB], media: image or document, turns: N or steps: N }, got 3",
    ]);
    expect(issuesOf("components: 3")).toEqual(["ebb.yaml:1: components: expected a map, got 3"]);
    expect(issuesOf("- 3")).toEqual(["ebb.yaml:1: expected a map of options, got a list"]);
    expect(issuesOf("pipeline: [readlifecyle]")).toEqual([
      'ebb.yaml:1: pipeline[0]: expected one of sizebound, readlifecycle, got "readlifecyle"',
    ]);
    expect(issuesOf("bound: { lines: 5 }")).toEqual([
      "ebb.yaml:1: bound: expected lines and bytes together, or neither, got { lines: 5 }",
    ]);
  });

  test("is refused when it is not YAML, with the line and without quoting it", () => {
    expect(issuesOf("port: 1\nport: 2")).toEqual(["ebb.yaml:2: port: stated twice"]);
    expect(issuesOf("a: [1, 2\nb: }{")).toEqual(["ebb.yaml:2: not valid YAML (bad indent)"]);
    expect(issuesOf("host: *nowhere")).toEqual(["ebb.yaml:1: host: expected a value, got an alias of nothing"]);
  });

  test("never shows what may be a secret", () => {
    const secrets = ["sk-ant-api03-abcdefgh", "https://me:pw@example.com", "abcdefghij0123456789abcd", "x?key=y"];
    for (const secret of secrets) {
      for (const words of issuesOf(
        `mode: "${secret}"\nunknown_key: "${secret}"\nport: ["${secret}"]\nhost: { a: "${secret}" }`,
      ))
        expect(words).not.toContain(secret);
    }
  });
});
