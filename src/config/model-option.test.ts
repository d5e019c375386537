import { describe, expect, test } from "vitest";
import { z } from "zod";
import { pricesAt } from "../engine/price.ts";
import { anthropicProvider } from "../providers/anthropic.ts";
import { withStatedModels } from "../providers/stated-models.ts";
import { readConfigText } from "./config-file.ts";
import { configJsonSchema } from "./json-schema.ts";
import type { StatedModelMap } from "./model-option.ts";
import { toStatedModels } from "./stated-models.ts";

const WHOLE = `
models:
  "mine-*":
    binding: none
    cache: { kind: breakpoints, ttl_minutes: [5, 60], lookback_blocks: 30, breakpoints_max: 2, min_tokens: 1024 }
    prices:
      - { from: 2026-10-07, input: 1, write_5m: 1.25, write_1h: 2, read: 0.05, output: 5 }
      - { over_tokens: 100000, input: 2, write_5m: 2.5, write_1h: 4, read: 0.2, output: 10 }
      - { input: 1, write_5m: 1.25, write_1h: 2, read: 0.1, output: 5 }
    window_tokens: 300000
    deletes_in_cache: true
    media: { bytes_max: 1000, images_max: 5 }
  claude-opus-4-8: { cache: { kind: prefix, step_tokens: 16 } }
`;

function issuesOf(models: string): readonly string[] {
  return readConfigText(`models:\n  ${models}`, "f").issues.map(({ where, words }) => `${where}: ${words}`);
}

function factsIn(text: string, model: string) {
  const { values, issues } = readConfigText(text, "f");
  expect(issues).toEqual([]);
  return withStatedModels(anthropicProvider, toStatedModels(values.get("models") as StatedModelMap)).modelFacts(model);
}

describe("models in the configuration", () => {
  test("state every fact, in minutes, tokens and dollars", () => {
    const facts = factsIn(WHOLE, "mine-1");
    expect(facts).toMatchObject({
      isKnown: true,
      thinkingBinding: "none",
      cache: { kind: "breakpoints", breakpointsMax: 2, lookbackBlocks: 30, ttlsMs: [300_000, 3_600_000] },
      ttlDefaultMs: 300_000,
      cacheTokensMin: 1_024,
      windowTokens: 300_000,
      deletesInCache: true,
      media: { bodyBytesMax: 1_000, imagesMax: 5 },
    });
    expect(factsIn(WHOLE, "claude-opus-4-8").cache).toEqual({ kind: "prefix", stepTokens: 16 });
    expect(factsIn(WHOLE, "claude-opus-4-7")).toEqual(anthropicProvider.modelFacts("claude-opus-4-7"));
  });

  test("have prices by date and length, in whatever order they are written", () => {
    const facts = factsIn(WHOLE, "mine-1");
    const read = (tokens: number, atMs: number) => pricesAt(facts, tokens, atMs)?.cacheRead;
    const day = Date.UTC(2026, 9, 7);
    expect([read(100_000, day - 1), read(100_001, day - 1), read(100_001, day)]).toEqual([0.1, 0.2, 0.05]);
  });

  test("are refused where they are junk, with what was expected and what came", () => {
    expect(issuesOf("m: { bindng: none }")).toEqual(["f:2: models.m.bindng: unknown key"]);
    expect(issuesOf("m: { binding: maybe }")).toEqual([
      'f:2: models.m.binding: expected one of none, block, prefix, got "maybe"',
    ]);
    expect(issuesOf("m: { window_tokens: big }")).toEqual([
      'f:2: models.m.window_tokens: expected a whole number of 1 or more, got "big"',
    ]);
    expect(issuesOf("m: { deletes_in_cache: 1 }")).toEqual([
      "f:2: models.m.deletes_in_cache: expected true or false, got 1",
    ]);
    expect(issuesOf("m: { media: { images_max: 0 } }")).toEqual([
      "f:2: models.m.media.images_max: expected a whole number of 1 or more, got 0",
    ]);
    expect(issuesOf("m: 3")[0]).toMatch(/^f:2: models\.m: expected \{ binding, cache: .* got 3$/);
    expect(issuesOf("m: {}")[0]).toMatch(/^f:2: models\.m: expected .*at least one of them, got an empty map$/);
    expect(issuesOf("3")[0]).toMatch(/^f:1: models: expected a map from a model's id, .* got 3$/);
  });

  test.each(["a*b", "*a", "a**", "a b"])("are refused under the name %j", (name) => {
    expect(issuesOf(`"${name}": { binding: none }`)).toEqual([
      `f:2: models.${name}: expected a model's id as the name, or its beginning and one *, got { binding: "none" }`,
    ]);
  });

  test.each(["claude-opus-5-5", "claude-*", "*", "anthropic/claude-opus-4.8:thinking", "models/x@1"])(
    "are taken under the name %j",
    (name) => expect(issuesOf(`"${name}": { binding: none }`)).toEqual([]),
  );

  test("take what belongs to a kind of cache beside that kind alone", () => {
    expect(issuesOf("m: { cache: { kind: units, lookback_blocks: 3 } }")).toEqual([
      'f:2: models.m.cache: expected kind: breakpoints beside breakpoints_max or lookback_blocks, got { kind: "units", lookback_blocks: 3 }',
    ]);
    expect(issuesOf("m: { cache: { step_tokens: 3 } }")).toEqual([
      "f:2: models.m.cache: expected kind: prefix beside step_tokens, got { step_tokens: 3 }",
    ]);
    expect(issuesOf("m: { cache: { ttl_minutes: [] } }")[0]).toMatch(
      /expected a list of lifetimes in whole minutes.* got \[\]$/,
    );
    expect(issuesOf("m: { cache: { kind: lru } }")).toEqual([
      'f:2: models.m.cache.kind: expected one of breakpoints, prefix, units, none, got "lru"',
    ]);
    expect(issuesOf("m: { cache: { min_tokens: 0 } }")).toEqual([]);
  });

  test("take whole prices alone, each border once", () => {
    const whole = "input: 1, write_5m: 1, write_1h: 1, read: 1, output: 1";
    expect(issuesOf("m: { prices: [{ input: 1, write_5m: 1, write_1h: 1, read: 1 }] }")).toEqual([
      "f:2: models.m.prices[0].output: expected US dollars per million tokens, 0 or more, got nothing",
    ]);
    expect(issuesOf(`m: { prices: [{ ${whole}, from: 2026-02-30 }] }`)).toEqual([
      'f:2: models.m.prices[0].from: expected a date such as 2026-10-07, got "2026-02-30"',
    ]);
    expect(issuesOf(`m: { prices: [{ ${whole.replace("read: 1", "read: -1")} }] }`)[0]).toContain("got -1");
    expect(issuesOf(`m: { prices: [{ ${whole} }, { ${whole} }] }`)[0]).toContain(
      "models.m.prices: expected different from or over_tokens in each",
    );
    expect(issuesOf("m: { prices: [] }")[0]).toContain("models.m.prices: expected a list of { input, ");
    expect(issuesOf(`m: { prices: { ${whole} } }`)[0]).toContain("models.m.prices: expected a list of { input, ");
  });

  test("are known to the schema for editors", () => {
    const schema = z.fromJSONSchema(JSON.parse(JSON.stringify(configJsonSchema())));
    expect(schema.safeParse({ models: { "mine-*": { binding: "none", window_tokens: 5 } } }).success).toBe(true);
    expect(schema.safeParse({ models: { "mine-*": { bindng: "none" } } }).success).toBe(false);
    expect(schema.safeParse({ models: { m: { cache: { kind: "lru" } } } }).success).toBe(false);
  });
});
