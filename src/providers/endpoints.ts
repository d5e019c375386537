/** A place requests go to by name. */
export interface Endpoint {
  readonly name: string;
  /** Origin and the path that stands before `/v1` there, without a trailing slash. */
  readonly url: string;
  /** Name of the provider by whose facts its models are read. */
  readonly provider: string;
}

/**
 * Names that an address may begin with, without any configuration. `chatgpt` is where Codex goes that is
 * logged in with a ChatGPT account. The ports of local servers are those they choose by themselves.
 */
export const ENDPOINTS: readonly Endpoint[] = [
  { name: "anthropic", url: "https://api.anthropic.com", provider: "anthropic" },
  { name: "openai", url: "https://api.openai.com", provider: "openai" },
  { name: "gemini", url: "https://generativelanguage.googleapis.com", provider: "gemini" },
  { name: "deepseek", url: "https://api.deepseek.com", provider: "deepseek" },
  { name: "openrouter", url: "https://openrouter.ai/api", provider: "openrouter" },
  { name: "groq", url: "https://api.groq.com/openai", provider: "groq" },
  { name: "chatgpt", url: "https://chatgpt.com/backend-api/codex", provider: "openai" },
  { name: "vllm", url: "http://127.0.0.1:8000", provider: "compatible" },
  { name: "llamacpp", url: "http://127.0.0.1:8080", provider: "compatible" },
  { name: "ollama", url: "http://127.0.0.1:11434", provider: "compatible" },
];

/** The upstream whose credentials a host takes, and no others; null where nothing is known of it. */
export function ownerOfHost(host: string): string | null {
  const known = ENDPOINTS.find(({ provider, url }) => provider !== "compatible" && new URL(url).hostname === host);
  if (known !== undefined) return known.name;
  return AZURE.test(host) ? "azure" : null;
}

/** The provider whose models answer at a host; null where nothing is known of it. */
export function providerNameOfHost(host: string): string | null {
  if (AZURE.test(host)) return "openai";
  return ENDPOINTS.find(({ name }) => name === ownerOfHost(host))?.provider ?? null;
}

const AZURE = /\.(?:openai|services\.ai|cognitiveservices)\.azure\.com$/;
