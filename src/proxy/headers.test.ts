import { expect, test } from "vitest";
import {
  headerValue,
  toClientHeaders,
  tokensIn,
  toUpstreamHeaders,
  withDecodableCodings,
  withValues,
} from "./headers.ts";

test("drops what belongs to the client's connection, and keeps order, spelling and duplicates of the rest", () => {
  const raw = [
    ...["Host", "localhost:4141", "X-One", "1", "Connection", "keep-alive, X-Private", "x-private", "secret"],
    ...["Keep-Alive", "timeout=5", "TE", "trailers", "Trailer", "x", "Transfer-Encoding", "chunked", "Upgrade", "h2c"],
    ...["Proxy-Authorization", "Basic x", "proxy-connection", "keep-alive", "Expect", "100-continue"],
    ...["Content-Length", "3", "x-ONE", "2", "Authorization", "Bearer k", "Content-Encoding", "gzip"],
  ];
  expect(toUpstreamHeaders(raw, false)).toEqual([
    ...["X-One", "1", "x-ONE", "2", "Authorization", "Bearer k", "Content-Encoding", "gzip"],
  ]);
});

test("an edited body loses the headers that describe its former bytes", () => {
  const raw = [
    "Content-Encoding",
    "gzip",
    "Content-MD5",
    "x",
    "Digest",
    "y",
    "Content-Digest",
    "z",
    "Repr-Digest",
    "q",
  ];
  expect(toUpstreamHeaders([...raw, "Content-Type", "application/json"], true)).toEqual([
    ...["Content-Type", "application/json"],
  ]);
  expect(toUpstreamHeaders(raw, false)).toEqual(raw);
});

test("a response keeps its length, coding and cookies, and loses its connection's headers", () => {
  const raw = [
    "Set-Cookie",
    "a=1",
    "Content-Length",
    "2",
    "Connection",
    "close, x-hop",
    "X-Hop",
    "1",
    "set-cookie",
    "b=2",
  ];
  expect(toClientHeaders([...raw, "Content-Encoding", "br", "Transfer-Encoding", "chunked"])).toEqual([
    ...["Set-Cookie", "a=1", "Content-Length", "2", "set-cookie", "b=2", "Content-Encoding", "br"],
  ]);
});

const noZstd = (coding: string) => ["gzip", "deflate", "br"].includes(coding);

test.each([
  ["gzip, deflate, br, zstd", "gzip, deflate, br"],
  ["zstd;q=1.0, gzip;q=0.5", "gzip;q=0.5"],
  ["gzip,zstd,br", "gzip,br"],
  ["ZSTD", "identity"],
  ["dcb, dcz, br", "br"],
  ["gzip,  br", "gzip,  br"],
  ["identity, *;q=0", "identity, *;q=0"],
  ["", ""],
])("accept-encoding %j is sent as %j where zstd cannot be read along", (value, sent) => {
  expect(withDecodableCodings(["Accept-Encoding", value, "x", "zstd"], noZstd)).toEqual([
    ...["Accept-Encoding", sent, "x", "zstd"],
  ]);
});

test("a repeated header is joined, an absent one is null", () => {
  expect(headerValue(["A", "1", "a", "2"], "a")).toBe("1, 2");
  expect(headerValue(["b", "a"], "a")).toBeNull();
  expect(tokensIn("Gzip;q=0.5, , BR")).toEqual(["gzip", "br"]);
});

test("values join the header of their name, however it is spelt, or come as a new one; none stands twice", () => {
  const raw = ["X-One", "1", "Anthropic-Beta", "a,b", "anthropic-beta", "c"];
  expect(withValues(raw, [{ name: "anthropic-beta", value: "d" }])).toEqual([...raw.slice(0, 5), "c,d"]);
  expect(withValues(raw, [{ name: "anthropic-beta", value: "b" }])).toEqual(raw);
  expect(withValues(["Anthropic-Beta", ""], [{ name: "anthropic-beta", value: "d" }])).toEqual(["Anthropic-Beta", "d"]);
  expect(
    withValues(
      ["X-One", "1"],
      ["d", "e", "d"].map((value) => ({ name: "anthropic-beta", value })),
    ),
  ).toEqual(["X-One", "1", "anthropic-beta", "d,e"]);
});
