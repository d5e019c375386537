import { describe, expect, test } from "vitest";
import { readConfigText } from "./config-file.ts";
import type { StatedDialectMap } from "./dialects-option.ts";
import { configJsonSchema } from "./json-schema.ts";
import { resolveFrom } from "./resolve.ts";
import { toDialectDescriptions } from "./stated-dialects.ts";

const PLACE = { env: {}, cwd: "/w", home: "/h", platform: "linux" as const };

function issuesOf(tool: string, more = ""): readonly string[] {
  return readConfigText(`dialects:\n  hopper:\n${more}    tools:\n      load: ${tool}\n`, "f").issues.map(
    ({ words }) => words,
  );
}

function described(dialect: string) {
  const { values, issues } = readConfigText(`dialects:\n  hopper: ${dialect}\n`, "f");
  expect(issues).toEqual([]);
  return toDialectDescriptions(values.get("dialects") as StatedDialectMap)[0];
}

describe("dialects in the configuration", () => {
  test("state a name, what they extend and how they are told", () => {
    const recognise = '{ tools: [load], system: "I am Hopper", user_agent: "hopper/" }';
    expect(
      described(
        `{ extends: pi, recognise: ${recognise}, reads_through_shell: true, tools: { load: { kind: other } } }`,
      ),
    ).toMatchObject({
      name: "hopper",
      base: "pi",
      recognise: { tools: ["load"], system: "I am Hopper", userAgent: "hopper/" },
      readsThroughShell: true,
    });
    expect(described("{ tools: { load: { kind: other } } }")).toMatchObject({
      base: "generic",
      recognise: null,
      readsThroughShell: null,
    });
  });

  test.each([
    [
      "{ offset: from, limit: count, first_line: 0, limit_default: 99 }",
      { form: "counted", offset: "from", limit: "count", firstLine: 0, limitDefault: 99 },
    ],
    ["{ offset: from }", { form: "counted", offset: "from", limit: null, firstLine: 1, limitDefault: null }],
    ["{ start: a, end: b }", { form: "ends", start: "a", end: "b" }],
    ["{ end: b }", { form: "ends", start: null, end: "b" }],
    ["{ pair: view_range }", { form: "pair", pair: "view_range" }],
  ])("state a range as %s", (range, expected) => {
    expect(described(`{ tools: { load: { kind: read, path: file, range: ${range} } } }`)?.tools.load?.range).toEqual(
      expected,
    );
  });

  test.each([
    ["raw", null],
    ['"N\\t"', { prefix: "", separator: "\t" }],
    ['"N: "', { prefix: "", separator: ": " }],
    ['"L N:"', { prefix: "L ", separator: ":" }],
  ])("state lines as %s", (result, rows) => {
    expect(described(`{ tools: { load: { kind: read, path: file, result: ${result} } } }`)?.tools.load?.rows).toEqual(
      rows,
    );
  });

  test.each([
    [
      "{ kind: peek }",
      'dialects.hopper.tools.load.kind: expected one of read, edit, write, delete, rename, run, search, fetch, other, got "peek"',
    ],
    ["{ kind: read }", 'dialects.hopper.tools.load: expected path beside kind: read, got { kind: "read" }'],
    [
      "{ kind: search, path: f }",
      'dialects.hopper.tools.load: expected no path beside kind: search, got { kind: "search", path: "f" }',
    ],
    [
      "{ kind: read, path: 7 }",
      "dialects.hopper.tools.load.path: expected the name of an argument, or a list of them, got 7",
    ],
    ["{ kind: read, path: f, size: 3 }", "dialects.hopper.tools.load.size: unknown key"],
    [
      "{ kind: read, path: f, range: { offset: a, end: b } }",
      'dialects.hopper.tools.load.range: expected { offset, limit, first_line, limit_default }, { start, end } or { pair }, got { offset: "a", end: "b" }',
    ],
    [
      "{ kind: read, path: f, range: { offset: a, first_line: 2 } }",
      "dialects.hopper.tools.load.range.first_line: expected 0 or 1, the number of the first line, got 2",
    ],
    [
      "{ kind: read, path: f, result: numbered }",
      'dialects.hopper.tools.load.result: expected raw, or how a line is numbered with N for the number, such as "N\\t" or "N: ", got "numbered"',
    ],
    [
      '{ kind: run, command: c, result: "N: " }',
      'dialects.hopper.tools.load: expected result: raw or none beside kind: run, got { kind: "run", command: "c", result: "N: " }',
    ],
  ])("refuse %s and say what was expected", (tool, words) => {
    expect(issuesOf(tool)).toEqual([words]);
  });

  test("refuse a base nobody has, and a name that is taken", () => {
    expect(issuesOf("{ kind: other }", "    extends: emacs\n")).toEqual([
      expect.stringMatching(/^dialects\.hopper\.extends: expected one of opencode, codex, .*generic, got "emacs"$/),
    ]);
    const taken = readConfigText("dialects: { pi: { tools: { load: { kind: other } } } }", "f").issues.map(
      ({ words }) => words,
    );
    expect(taken).toEqual([
      expect.stringContaining("expected a name of lower-case letters, digits and dashes that no built-in dialect has"),
    ]);
  });

  test("are described to editors", () => {
    const schema = JSON.stringify(configJsonSchema());
    expect(schema).toContain("limit_default");
    expect(schema).toContain("reads_through_shell");
  });
});

describe("the chosen dialect", () => {
  const resolved = (env: Readonly<Record<string, string>>) => resolveFrom(null, new Map(), { ...PLACE, env });

  test("is told from the request unless one is named", () => {
    expect(resolved({}).dialect).toBeNull();
    expect(resolved({ EBB_DIALECT: "pi" }).dialect).toBe("pi");
    const stated = { EBB_DIALECTS: "{ hopper: { tools: { load: { kind: other } } } }" };
    expect(resolved({ ...stated, EBB_DIALECT: "hopper" })).toMatchObject({
      dialect: "hopper",
      dialects: [{ name: "hopper" }],
    });
  });

  test("is refused where nobody knows it, with the nearest name", () => {
    expect(() => resolved({ EBB_DIALECT: "claude-cod" })).toThrow(
      'dialect: expected auto or the name of a dialect that is built in or stated, got "claude-cod", did you mean claude-code?',
    );
    expect(() => resolved({ EBB_DIALECT: "" })).toThrow(
      'EBB_DIALECT: dialect: expected auto or the name of a dialect, got ""',
    );
  });

  test("is part of what tells configurations apart that decide differently", () => {
    expect(resolved({ EBB_DIALECT: "pi" }).digest).not.toBe(resolved({}).digest);
  });
});
