import { describe, expect, it, test } from "vitest";
import { type Greeted, greetingLines } from "./greeting.ts";
import { ownAddressOf } from "./listening-address.ts";

function greeting(host: string, models: Greeted["models"] = [], pausedSinceMs: number | null = null): string {
  return greetingLines({ ...configOf(host), models }, 4141, pausedSinceMs).join("\n");
}

function configOf(host: string): Greeted {
  return {
    host,
    upstream: "https://api.anthropic.com",
    mode: "observe",
    isUpstreamStated: false,
    dataFolder: "/data",
    file: null,
    pipeline: [],
    lifetimeRules: [],
    mediaBudget: null,
    models: [],
  };
}

describe("the greeting of the proxy", () => {
  it.each(["127.0.0.1", "localhost", "::1"])("of %s names the one address and nobody else", (host) => {
    expect(greeting(host)).toContain(
      `Ebb listens on ${ownAddressOf(host, 4141)} and forwards to each request's own provider`,
    );
    expect(greeting(host)).not.toContain("Other machines");
  });

  it.each([
    ["0.0.0.0", "http://127.0.0.1:4141"],
    ["0", "http://127.0.0.1:4141"],
    ["::", "http://[::1]:4141"],
  ])("of %s says that other machines get in, and which address this one uses", (host, url) => {
    expect(greeting(host)).toContain("Ebb listens on every address of this machine, port 4141, and forwards to");
    expect(greeting(host)).toContain("Other machines can reach this proxy");
    expect(greeting(host)).toContain(`On this machine use ${url};`);
    expect(greeting(host)).toContain(`export ANTHROPIC_BASE_URL=${url}\n`);
  });

  it("names addresses of other formats that lead to a stated upstream, where one is stated", () => {
    const stated = { ...configOf("::1"), upstream: "http://127.0.0.1:4142", isUpstreamStated: true };
    const lines = greetingLines(stated, 4141);
    expect(lines).toContain("  OpenAI's formats: OPENAI_BASE_URL=http://[::1]:4141/v1");
    expect(lines).toContain("  Gemini CLI: GOOGLE_GEMINI_BASE_URL=http://[::1]:4141");
    expect(greeting("::1")).toContain("OPENAI_BASE_URL=http://[::1]:4141/openai/v1\n");
    expect(greeting("::1")).toContain("GOOGLE_GEMINI_BASE_URL=http://[::1]:4141/gemini\n");
  });

  it("says that Ebb is paused, where it is", () => {
    expect(greeting("::1")).not.toContain("Paused");
    expect(greeting("::1", [], 60_000)).toContain("Paused since 1970-01-01 00:01 UTC: nothing new is decided");
  });

  it("names the models whose facts the configuration states, where it does", () => {
    expect(greeting("::1", [{ name: "mine-*" }, { name: "claude-opus-5" }])).toContain(
      "Models stated: mine-*, claude-opus-5\n",
    );
    expect(greeting("::1")).not.toContain("Models stated");
  });

  it("of another address says so too", () => {
    expect(greeting("192.0.2.7")).toContain("Other machines can reach this proxy");
    expect(greeting("192.0.2.7")).toContain("export ANTHROPIC_BASE_URL=http://192.0.2.7:4141\n");
  });
});

test("an IPv6 address stands in brackets", () => {
  expect(ownAddressOf("2001:db8::7", 80)).toBe("http://[2001:db8::7]:80");
});
