import { expect, test } from "vitest";
import { openUpstream } from "./upstream.ts";

test.each([
  ["http://127.0.0.1:9", ""],
  ["https://api.example/", ""],
  ["https://api.example/anthropic/", "/anthropic"],
])("%s puts %j before every path", async (url, pathPrefix) => {
  const upstream = openUpstream(url);
  expect(upstream.pathPrefix).toBe(pathPrefix);
  await upstream.pool.destroy();
});

test.each([
  ...["", "api.example", "ftp://api.example", "https://user:pw-9z@api.example", "https://a.example/?key=pw-9z"],
  ...["https://a.example/#pw-9z", "file:///etc/passwd"],
])("%j is refused without being repeated", (url) => {
  const attempt = () => openUpstream(url);
  expect(attempt).toThrow(expect.objectContaining({ code: "config_invalid" }));
  expect(attempt).not.toThrow(/pw-9z/);
});
