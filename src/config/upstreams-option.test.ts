import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "../providers/endpoints.ts";
import { resolveFrom } from "./resolve.ts";
import { toUpstreams } from "./upstreams-option.ts";

function resolved(upstreams: string) {
  const place = { env: { EBB_UPSTREAMS: upstreams }, cwd: "/none", home: "/none", platform: "linux" } as const;
  return resolveFrom(null, new Map(), place).upstreams;
}

describe("upstreams by name", () => {
  it("are the built-in ones and those that are stated", () => {
    expect(toUpstreams({})).toEqual(ENDPOINTS);
    const own = resolved('{ mine: "https://gw.example/llm/", lab: { url: "http://127.0.0.1:9", provider: openai } }');
    expect(own.slice(ENDPOINTS.length)).toEqual([
      { name: "mine", url: "https://gw.example/llm", provider: null },
      { name: "lab", url: "http://127.0.0.1:9", provider: "openai" },
    ]);
  });

  it("may take the place of a built-in one, or take it away", () => {
    const names = resolved('{ openai: "https://gw.example", groq: off }');
    expect(names.find(({ name }) => name === "openai")).toEqual({
      name: "openai",
      url: "https://gw.example",
      provider: "openai",
    });
    expect(names.some(({ name }) => name === "groq")).toBe(false);
    expect(names).toHaveLength(ENDPOINTS.length - 1);
  });

  it.each([
    ['{ stats: "http://a" }', /upstreams\.\w+: expected a name of lower-case letters/],
    ['{ V1: "http://a" }', /upstreams\.\w+: expected a name of lower-case letters/],
    ['{ a: "ftp://a" }', /upstreams\.a: expected off, an address, or/],
    ['{ a: { url: "http://u:secret-9z@a" } }', /upstreams\.a/],
    ['{ a: { url: "http://a", provider: nobody } }', /upstreams\.a/],
    ["many", /upstreams: expected a map from a name/],
  ])("are refused otherwise: %s", (given, words) => {
    expect(() => resolved(given)).toThrow(words);
    expect(() => resolved(given)).not.toThrow(/secret-9z/);
  });
});
