import { afterEach, describe, expect, it } from "vitest";
import { ENDPOINTS, ownerOfHost } from "../providers/endpoints.ts";
import { isUpstreamName, openUpstreams, type Routable, type UpstreamSettings, type Upstreams } from "./upstreams.ts";

const WIRES: Readonly<Record<string, string>> = { messages: "anthropic", chat: "openai", gemini: "gemini" };
let opened: Upstreams | null = null;

afterEach(async () => {
  await opened?.close();
  opened = null;
});

function open(settings: Partial<UpstreamSettings> = {}): Upstreams {
  opened = openUpstreams({
    upstream: null,
    upstreams: [...ENDPOINTS, { name: "mine", url: "https://gateway.example/llm" }],
    ownerOfHost,
    upstreamOfWire: (wire) => WIRES[wire] ?? null,
    ...settings,
  });
  return opened;
}

function asked(request: Partial<Routable> & { readonly key?: string } = {}): Routable {
  const { key, ...rest } = request;
  const headers = key === undefined ? [] : ["Authorization", `Bearer ${key}`];
  return { name: null, wire: null, path: "/v1/x", query: "", headers, ...rest };
}

function goesTo(request: Routable, settings: Partial<UpstreamSettings> = {}): string {
  const chosen = open(settings).choose(request);
  return chosen.ok ? `${chosen.upstream.name} ${chosen.upstream.host}` : chosen.words;
}

const ANTHROPIC = "anthropic api.anthropic.com";
const OPENAI = "openai api.openai.com";
const GEMINI = "gemini generativelanguage.googleapis.com";

describe("a request whose address names no upstream", () => {
  it.each([
    ["messages", {}, ANTHROPIC],
    ["chat", {}, OPENAI],
    ["chat", { key: "eyJhbGciOi" }, OPENAI],
    ["gemini", {}, GEMINI],
    // A credential goes to whom it belongs, whatever the format.
    ["chat", { key: "sk-ant-api03-x" }, ANTHROPIC],
    ["chat", { key: "AIzaSyX" }, GEMINI],
    ["chat", { key: "sk-or-v1-x" }, "openrouter openrouter.ai"],
    ["chat", { key: "gsk_x" }, "groq api.groq.com"],
    ["messages", { key: "sk-or-v1-x" }, "openrouter openrouter.ai"],
    ["chat", { headers: ["X-Goog-Api-Key", "k"] }, GEMINI],
    ["chat", { headers: ["x-api-key", "sk-ant-x"] }, ANTHROPIC],
  ] as const)("goes where its format and its credentials say: %s %j", (wire, request, place) => {
    expect(goesTo(asked({ wire, ...request }))).toBe(place);
  });

  it.each([
    [{}, ANTHROPIC],
    [{ headers: ["x-api-key", "k"] }, ANTHROPIC],
    [{ headers: ["anthropic-version", "2023-06-01", "Authorization", "Bearer t"] }, ANTHROPIC],
    [{ key: "sk-ant-oat01-x" }, ANTHROPIC],
    [{ key: "sk-proj-x" }, OPENAI],
    [{ key: "anything" }, OPENAI],
    [{ headers: ["x-goog-api-key", "k"] }, GEMINI],
    [{ query: "alt=sse&key=k" }, GEMINI],
    [{ path: "/v1beta/models" }, GEMINI],
    [{ path: "/v1beta/openai/models", key: "AIzaX" }, GEMINI],
  ] as const)("and nothing reads goes where its credentials say: %j", (request, place) => {
    expect(goesTo(asked(request))).toBe(place);
  });

  it.each([
    ["an AWS signature", { headers: ["Authorization", "AWS4-HMAC-SHA256 Credential=x"] }],
    ["a key of Azure", { headers: ["api-key", "k"] }],
    ["a key of nobody here", { key: "xai-k" }],
  ])("goes nowhere with %s", (_, request) => {
    expect(goesTo(asked({ wire: "chat", ...request }))).toMatch(
      /^expected an upstream for credentials of (aws|azure|xai)/,
    );
  });

  it("goes to the stated upstream, whatever it is", () => {
    const settings = { upstream: "http://127.0.0.1:9/base" };
    for (const wire of ["messages", "chat", "gemini", null]) {
      expect(goesTo(asked({ wire, key: "sk-ant-x" }), settings)).toBe("null 127.0.0.1");
    }
  });
});

describe("credentials of one provider", () => {
  it.each([
    [{ name: "openai", key: "sk-ant-x" }, "expected credentials of openai, got those of anthropic"],
    [{ name: "anthropic", key: "sk-proj-x" }, "expected credentials of anthropic, got those of openai"],
    [{ name: "anthropic", headers: ["x-api-key", "AIzaX"] }, "expected credentials of anthropic, got those of gemini"],
    [{ name: "deepseek", query: "key=AIzaX" }, "expected credentials of deepseek, got those of gemini"],
    [{ name: "groq", headers: ["api-key", "k"] }, "expected credentials of groq, got those of azure"],
    [
      { name: "openai", headers: ["Authorization", "Bearer sk-proj-x", "X-Goog-Api-Key", "k"] },
      "expected credentials of openai, got those of gemini",
    ],
    // As two parsers might read them.
    [
      { name: "openai", headers: ["Authorization", "Token sk-ant-x"] },
      "expected credentials of openai, got those of anthropic",
    ],
    [
      { name: "openai", headers: ["Authorization", "sk-ant-x"] },
      "expected credentials of openai, got those of anthropic",
    ],
    [
      { name: "openai", headers: ["authorization", "bearer  sk-ant-x"] },
      "expected credentials of openai, got those of anthropic",
    ],
    [
      { name: "openai", headers: ["Authorization", "Bearer sk-x", "Authorization", "Bearer sk-ant-x"] },
      "expected credentials of openai, got those of anthropic",
    ],
  ] as const)("never go to another's host: %j", (request, words) => {
    expect(goesTo(asked(request))).toBe(words);
  });

  it("never go to another's host by a stated upstream either", () => {
    const words = goesTo(asked({ key: "AIzaX" }), { upstream: "https://api.anthropic.com" });
    expect(words).toBe("expected credentials of anthropic, got those of gemini");
  });

  it.each([
    ["mine", "mine gateway.example"],
    ["vllm", "vllm 127.0.0.1"],
    ["ollama", "ollama 127.0.0.1"],
  ])("go where nothing is known of the host: %s", (name, place) => {
    expect(goesTo(asked({ name, key: "sk-ant-x" }))).toBe(place);
  });

  it("with Azure's header leave Azure's own paths whole", () => {
    const names = (...headers: string[]) => open().namesFor(headers).has("openai");
    expect([names(), names("Authorization", "Bearer k"), names("API-Key", "k")]).toEqual([true, true, false]);
  });
});

describe("the name of an upstream", () => {
  it.each([
    ...["", "A", "a b", "a/b", "..", "a".repeat(33), "%61", "-a", "run", "stats", "recall", "healthz", "window"],
    ...["status", "report", "hold", "release", "v1", "v1beta", "v2"],
  ])("is no path and nothing that must be decoded: %j", (name) => {
    expect(isUpstreamName(name)).toBe(false);
    const attempt = () => openUpstreams({ upstream: null, upstreams: [{ name, url: "http://127.0.0.1:9" }] });
    expect(attempt).toThrow(expect.objectContaining({ code: "config_invalid" }));
  });

  it("is each one's own", () => {
    const one = { name: "a", url: "http://127.0.0.1:9" };
    expect(() => openUpstreams({ upstream: null, upstreams: [one, one] })).toThrow(/cannot be the name/);
    expect(ENDPOINTS.every(({ name }) => isUpstreamName(name))).toBe(true);
  });
});
