import { expect, test } from "vitest";
import { resolveFrom } from "../config/resolve.ts";
import type { ResolvedConfig } from "../config/resolved.ts";
import type { Provider } from "../model/ports.ts";
import { keeperSettingsOf } from "./open-keeper.ts";

function configOf(env: Readonly<Record<string, string>>): ResolvedConfig {
  return resolveFrom(null, new Map(), { env, cwd: "/none", home: "/none", platform: "linux" });
}

function firstOf(config: ResolvedConfig): Provider {
  const [provider] = keeperSettingsOf(config, () => undefined).providers;
  if (provider === undefined) throw new Error("no provider");
  return provider;
}

test("a keeper knows models by what the configuration states over what is on record", () => {
  const stated = '{ "claude-opus-4-8*": { binding: block, window_tokens: 5 }, other-1: { deletes_in_cache: true } }';
  const provider = firstOf(configOf({ EBB_MODELS: stated }));
  const recorded = firstOf(configOf({}));
  expect(provider.modelFacts("claude-opus-4-8-20260101")).toEqual({
    ...recorded.modelFacts("claude-opus-4-8"),
    thinkingBinding: "block",
    windowTokens: 5,
  });
  // Without names for asking, nothing is ever asked to delete.
  expect(provider.modelFacts("other-1")).toMatchObject({ isKnown: false, deletesInCache: false });
  expect(provider.modelFacts("claude-opus-4-7")).toEqual(recorded.modelFacts("claude-opus-4-7"));
});

test("a configuration that states junk of a model is refused", () => {
  expect(() => configOf({ EBB_MODELS: "{ m: { binding: maybe } }" })).toThrow(
    'EBB_MODELS: models.m.binding: expected one of none, block, prefix, got "maybe"',
  );
  expect(() => configOf({ EBB_MODELS: "many" })).toThrow(/EBB_MODELS: models: expected a map from a model's id/);
});
