import { describe, expect, it } from "vitest";
import { readTarget } from "./target.ts";

const NAMES = new Set(["openai", "local-1"]);
const read = (url: string) => readTarget(url, NAMES);

describe("an address", () => {
  it.each([
    ["/v1/messages?beta=true", null, null, "/v1/messages", "beta=true"],
    ["/openai/v1/responses", null, "openai", "/v1/responses", ""],
    ["/local-1/", null, "local-1", "/", ""],
    ["/run/a-run-1234/openai/v1/models?x=/openai/", "a-run-1234", "openai", "/v1/models", "x=/openai/"],
    ["/run/a-run-1234/v1/models", "a-run-1234", null, "/v1/models", ""],
  ])("has its names taken off: %s", (url, run, name, path, query) => {
    expect(read(url)).toEqual({ run, name, path, query, target: query === "" ? path : `${path}?${query}` });
  });

  it.each([
    ...["/openai", "/openai?x=/", "/OpenAI/v1", "/openai%2Fv1", "/%6fpenai/v1", "/openai%00/v1", "/openai./v1"],
    ...["//openai/v1", "/./openai/v1", "/../openai/v1", "/\\openai/v1", "/openai\\v1", "/openai;a=b/v1", "/openai#/v1"],
    ...["/unknown/v1", "/v1/openai/v1", "/run/openai/v1", "/run/short/openai/v1", "/ openai/v1", "/__proto__/v1"],
  ])("whose first segment is no name is a path: %s", (url) => {
    expect(read(url)).toMatchObject({ run: null, name: null, target: url });
  });

  it.each([
    ["/openai//evil.example/x", "//evil.example/x"],
    ["/openai/openai/v1", "/openai/v1"],
    ["/openai/http://evil.example/x", "/http://evil.example/x"],
    ["/openai/../local-1/v1", "/../local-1/v1"],
    ["/openai/%2e%2e/local-1/v1", "/%2e%2e/local-1/v1"],
    ["/openai/run/a-run-1234/v1", "/run/a-run-1234/v1"],
    ["/openai/stats", "/stats"],
  ])("loses one name, once, and stays as it is behind it: %s", (url, target) => {
    expect(read(url)).toMatchObject({ run: null, name: "openai", target });
  });
});
