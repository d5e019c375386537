import { describe, expect, test } from "vitest";
import type { AgentCall } from "./agent.ts";
import { claude } from "./agents/claude.ts";
import { codex } from "./agents/codex.ts";
import { opencode } from "./agents/opencode.ts";
import type { ProxyLock } from "./proxy-lock.ts";
import { routeEndsOf } from "./route.ts";

const LOCK: ProxyLock = {
  pid: 1,
  owner: "proxy",
  host: "127.0.0.1",
  port: 5000,
  version: "1",
  upstream: "https://behind.example",
  mode: "enforce",
  digest: "d",
  started_ms: 1,
};
const NOTHING = { configured: null, locks: [], ownPort: 4141 };

function callOf(env: Record<string, string> = {}): AgentCall {
  return { args: [], place: { env, cwd: "/nowhere", home: "/nobody", platform: "linux" }, ask: () => "" };
}

describe("requests go", () => {
  test("to the agent's provider where nothing is stated", () => {
    expect(routeEndsOf(claude, callOf(), NOTHING)).toEqual({ upstream: "https://api.anthropic.com", version: "" });
    expect(routeEndsOf(opencode, callOf(), NOTHING)).toEqual({ upstream: "https://api.anthropic.com", version: "/v1" });
    expect(routeEndsOf(codex, callOf(), NOTHING)).toEqual({ upstream: "https://api.openai.com", version: "/v1" });
  });

  test("to the gateway that the agent uses already, below its own path", () => {
    const gateway = callOf({ ANTHROPIC_BASE_URL: "https://gateway.example/anthropic/" });
    expect(routeEndsOf(claude, gateway, NOTHING)).toEqual({
      upstream: "https://gateway.example/anthropic",
      version: "",
    });
    const bare = callOf({ OPENAI_BASE_URL: "https://gateway.example/openai" });
    expect(routeEndsOf(codex, bare, NOTHING)).toEqual({ upstream: "https://gateway.example/openai", version: "" });
  });

  test("to what the configuration states, before all others", () => {
    const stated = { ...NOTHING, configured: "https://mine.example/v1/" };
    expect(routeEndsOf(codex, callOf({ OPENAI_BASE_URL: "https://gateway.example" }), stated)).toEqual({
      upstream: "https://mine.example",
      version: "/v1",
    });
  });

  test.each(["http://127.0.0.1:5000", "http://localhost:5000/", "http://[::1]:5000/run/another-run"])(
    "to what lies behind a proxy of Ebb's, not through two of them: %s",
    (url) => {
      const ends = routeEndsOf(claude, callOf({ ANTHROPIC_BASE_URL: url }), { ...NOTHING, locks: [LOCK] });
      expect(ends.upstream).toBe("https://behind.example");
    },
  );

  test("to the provider where the address is that of a proxy which does not run, and to any other local gateway", () => {
    const at = (port: number) =>
      routeEndsOf(claude, callOf({ ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` }), NOTHING);
    expect(at(4141).upstream).toBe("https://api.anthropic.com");
    expect(at(8080).upstream).toBe("http://127.0.0.1:8080");
  });
});
