import { expect, test } from "vitest";
import { providers } from "../builtins.ts";
import { recordedProvider } from "./recorded-provider.ts";

test.each([
  ["anthropic-messages", "claude-sonnet-4-5", "anthropic"],
  ["anthropic-messages", "gpt-5.3-codex", "openai"],
  ["anthropic-messages", "o4-mini", "openai"],
  ["anthropic-messages", "gemini-3-pro", "gemini"],
  ["anthropic-messages", "unheard-of", "anthropic"],
  ["anthropic-messages", null, "anthropic"],
  ["openai-chat", "claude-sonnet-4-5", "openai"],
  ["gemini", "gpt-5", "gemini"],
])("a request of %s with the model %s was answered by %s", (wire, model, name) => {
  expect(recordedProvider(wire, model, Object.values(providers)).name).toBe(name);
});
