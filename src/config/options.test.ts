import { describe, expect, test } from "vitest";
import { z } from "zod";
import { valueIssues } from "./issues.ts";
import { configJsonSchema } from "./json-schema.ts";
import { nearestName } from "./nearest-name.ts";
import { environmentNameOf, flagOf, optionEntries } from "./options.ts";

describe("declared options", () => {
  test("have defaults that pass their own check", () => {
    for (const [key, option] of optionEntries()) {
      expect(option.type.schema.safeParse(option.default).success, key).toBe(true);
    }
  });

  test("have distinct environment names and flags", () => {
    const keys = optionEntries().map(([key]) => key);
    expect(new Set(keys.map(environmentNameOf)).size).toBe(keys.length);
    expect(new Set(keys.map(flagOf)).size).toBe(keys.length);
  });

  test("are described in one sentence, and say who reads them", () => {
    for (const [key, option] of optionEntries()) {
      expect(option.description, key).toMatch(/^[`A-Z].*\.$/);
      expect(option.commands.length, key).toBeGreaterThan(0);
    }
  });

  test("refuse whatever is wrong in words of their own", () => {
    const scalars = ["x", 3, -1, 1.5, true, null, [], {}];
    const names = ["tools", "kinds", "paths", "turns", "steps", "lines", "bytes", "other"];
    const maps = scalars.flatMap((one) => names.flatMap((name) => [{ [name]: one }, { [name]: [one] }]));
    const values = [...scalars, ...maps, ...[...scalars, ...maps].map((one) => [one]), { tools: { Bash: 3 } }];
    const words = optionEntries().flatMap(([key, { type }]) =>
      values.flatMap((value) => valueIssues(key, value, type.schema).map((issue) => issue.words)),
    );
    expect(words.length).toBeGreaterThan(1_000);
    expect(words.filter((one) => !/: (expected [a-z{].*, got |unknown key$)/.test(one))).toEqual([]);
  });

  test("make a schema that takes a valid file and refuses unknown keys", () => {
    const schema = z.fromJSONSchema(JSON.parse(JSON.stringify(configJsonSchema())));
    expect(schema.safeParse({ port: 1, components: { readlifecycle: { stale: true } } }).success).toBe(true);
    expect(schema.safeParse({ prot: 1 }).success).toBe(false);
    expect(schema.safeParse({ components: { readlifecycle: { stale: 3 } } }).success).toBe(false);
  });
});

describe("the nearest name", () => {
  test("forgives a slip, case and separators, and does not guess wildly", () => {
    expect(nearestName("marker-Mode", ["min_tokens", "marker_mode"])).toBe("marker_mode");
    expect(nearestName("stael", ["superseded", "stale"])).toBe("stale");
    expect(nearestName("elephant", ["stale", "port"])).toBeNull();
  });
});
