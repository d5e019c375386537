import { expect, test } from "vitest";
import { providers } from "../builtins.ts";
import { toUpstreams } from "../config/upstreams-option.ts";
import { destinationProvider } from "./destination-provider.ts";

const upstreams = toUpstreams({
  gateway: "https://gw.example",
  azure: "https://me.openai.azure.com",
  lab: { url: "http://127.0.0.1:9", provider: "deepseek" },
});
const providerOf = destinationProvider({ upstreams }, Object.values(providers));

test.each([
  // Stated, then by host, then by format.
  ["openai-chat", "lab", "127.0.0.1", "deepseek"],
  ["openai-chat", "openrouter", "openrouter.ai", "openrouter"],
  ["anthropic-messages", "openrouter", "openrouter.ai", "openrouter"],
  ["openai-chat", "ollama", "127.0.0.1", "compatible"],
  ["openai-responses", "gateway", "gw.example", "compatible"],
  ["anthropic-messages", "gateway", "gw.example", "anthropic"],
  ["gemini", "gateway", "gw.example", "gemini"],
  ["openai-chat", "azure", "me.openai.azure.com", "openai"],
  ["openai-chat", null, "api.deepseek.com", "deepseek"],
  ["openai-responses", null, "chatgpt.com", "openai"],
  ["openai-chat", null, "gw.example", "openai"],
  ["anthropic-messages", null, "127.0.0.1", "anthropic"],
  ["unheard-of", null, "127.0.0.1", "anthropic"],
])("%s to %s at %s is read by the facts of %s", (wire, name, host, provider) => {
  expect(providerOf({ wire, name, host }).name).toBe(provider);
});
